"""Tests of an op that a generated file states in one line each.

A test file says the facts about one op (`OpCase`) and derives its class from those whose tests
apply. `parametrise` gives the arguments of the tests the values that apply to the op:

    CASE = OpCase(op=my_ops.swiglu, ...)
    pytest_generate_tests = testing.parametrise(CASE)

    class TestSwiglu(testing.Values, testing.Gradients):
        ...

`compare` says how near is near enough.
"""

from .case import (
    Call,
    Choice,
    Input,
    OpCase,
    Output,
    promoted,
    round_to,
    straight_through,
    to_float8,
)
from .classes import Gradients, Values, arguments, parametrise
from .sizes import Caches
from .values import Ties

__all__ = [
    "Caches",
    "Call",
    "Choice",
    "Gradients",
    "Input",
    "OpCase",
    "Output",
    "Ties",
    "Values",
    "arguments",
    "parametrise",
    "promoted",
    "round_to",
    "straight_through",
    "to_float8",
]
