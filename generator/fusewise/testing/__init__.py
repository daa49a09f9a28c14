"""Test classes that the tests of generated ops inherit.

A generated test file states the facts about one op (`OpCase`), and its class derives from the
classes of tests that apply. `parametrise` gives the arguments of the tests their values:

    CASE = OpCase(op=my_ops.swiglu, ...)
    pytest_generate_tests = testing.parametrise(CASE)

    class TestSwiglu(testing.Values, testing.Gradients):
        ...

`compare` defines the tolerance.
"""

from .case import (
    Call,
    Choice,
    Input,
    OpCase,
    Output,
    promoted,
    round_to,
    row_of,
    rows,
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
    "row_of",
    "rows",
    "straight_through",
    "to_float8",
]
