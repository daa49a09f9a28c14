"""Valid names of ops, inputs, params, lets and outputs."""

from __future__ import annotations

import keyword
import re

from fusewise.language.characters import described, first_foreign, what_to_type
from fusewise.language.errors import shown
from fusewise.language.formula import CONSTANTS
from fusewise.language.functions import FORMS, FUNCTIONS, INTRINSICS

MAX_LENGTH = 40
FORM = r"[a-z][a-z0-9_]*"
NUMBERED = r"(term|total|kept_total)[0-9]+"  # of values that the plan of a pass with rows names
OUT = r"out[0-9]*"  # the keywords of `out=` in a schema; only an output may have such a name

_TAKEN = {
    "a keyword of C++": """
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
        char32_t class compl concept const consteval constexpr constinit const_cast continue
        co_await co_return co_yield decltype default delete do double dynamic_cast else enum
        explicit export extern false float for friend goto if inline int long mutable namespace new
        noexcept not not_eq nullptr operator or or_eq private protected public register
        reinterpret_cast requires return short signed sizeof static static_assert static_cast
        struct switch template this thread_local throw true try typedef typeid typename union
        unsigned using virtual void volatile wchar_t while xor xor_eq
        """,
    # Macros, and functions that a C library may define as macros. Names with capital letters
    # (I, E, NAN, M_PI) are invalid anyway.
    "a macro or function of the C library": """
        assert errno fpclassify isnormal isunordered j0 j1 jn linux major makedev minor offsetof
        setjmp signbit stderr stdin stdout unix va_arg va_copy va_end va_start y0 y1 yn
        """,
    "a type of CUDA": "bfloat16 dim3 double2 float2 float3 float4 half int2 int3 int4",
    "generated code uses it": """
        at aten call_op condition constant decompose getattr hoisted int64_t is_compiling list math
        name needs params reads row_length rt self set_opaque tensor testing torch types variant
        writes
        """,
    "a constant of the formula language": " ".join(CONSTANTS),
    "a function of the formula language": " ".join((*FUNCTIONS, *FORMS)),
    "an internal form of a function": " ".join(INTRINSICS),
}
_REASONS = {word: reason for reason, words in _TAKEN.items() for word in words.split()}
_REASONS |= dict.fromkeys(keyword.kwlist, "a keyword of Python")
RESERVED = frozenset(_REASONS)
# Of ops alone: generated code stands in a namespace of this name, or beside a function of it.
_OF_OPS = "cuda exclude nn oracle reference std super"
RESERVED_FOR_OPS = frozenset(_OF_OPS.split())


def gradient_name(name: str) -> str:
    return f"grad_{name}"


def arrival_name(gradient: str) -> str:
    """The name of the param that tells whether a gradient is there."""
    return f"has_{gradient}"


def camel_case(name: str) -> str:
    """The words of a name joined, each with a capital: `BiasAct` for `bias_act`."""
    return name.title().replace("_", "")


def name_problem(name: str, *, output: bool = False, op: bool = False) -> tuple[str, str] | None:
    """The error message and hint for an invalid name; None for a valid one.

    output: the name of an output, which alone may be `out` or `out1`.
    op: the name of an op, which alone may be that of a function: no formula calls an op.
    """
    if not re.fullmatch(FORM, name):
        hint = "names are a-z, 0-9 and _, and start with a letter"
        lower = name.lower()
        if re.fullmatch(FORM, lower):
            hint = f"names are lower case: {lower}"
        if foreign := first_foreign(name):
            message = f"'{shown(name)}' is not a name: '{shown(foreign)}' is {described(foreign)}"
            return message, what_to_type(foreign) or hint
        return f"'{name}' is not a name", hint
    if len(name) > MAX_LENGTH:
        return f"the name is longer than {MAX_LENGTH} characters", ""
    if "__" in name:
        return f"'{name}' has a double underscore, which C++ keeps for itself", ""
    if name.startswith(("grad_", "has_grad_")):
        return f"'{name}' is taken: names with 'grad_' are gradients", ""
    if op and name in RESERVED_FOR_OPS:
        return f"'{name}' is taken: generated code uses it", f"for example {name}_op"
    if op and name in {*FUNCTIONS, *FORMS}:
        return None
    generated = NUMBERED if output else f"{NUMBERED}|{OUT}"
    used = "generated code uses it" if re.fullmatch(generated, name) else None
    reason = _REASONS.get(name, used)
    return (f"'{name}' is taken: {reason}", f"for example {name}_value") if reason else None
