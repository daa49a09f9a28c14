"""What the table says of a function and of a special form: the type of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fusewise.language.formula import Expr, parse_formula


@dataclass(frozen=True, slots=True)
class Notation:
    """How mathematics writes a function: the first of each pair in Unicode, the second in LaTeX."""

    name: tuple[str, str] | None = None  # None: the function's own
    fences: tuple[tuple[str, str], tuple[str, str]] | None = None  # around the argument
    meaning: Expr | None = None  # what is written in place of the function
    note: str = ""  # for readers who do not know the name


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Function:
    """All facts about one function or operator."""

    name: str
    params: tuple[str, ...]
    defaults: tuple[Expr, ...]  # of the last params
    aliases: tuple[str, ...] = ()  # names of the same function in other libraries
    # Forms of it in the language
    derivatives: tuple[Expr | None, ...]  # one a param; None: not differentiable in it
    body: Expr | None  # what a composite expands to; the others are functions of `math.h`
    shared: Expr | None  # what one expands to beside functions that have most of this in them
    row_invariant: Expr | None  # what one expands to where the last argument is the same in a row
    powers: Mapping[Fraction | float | None, Expr]  # what it is for these last arguments
    # Types
    result: str = "float"  # float; bool; or same: integers stay integers
    integer: bool = False  # defined on integer tensors
    of_conditions: bool = False  # its arguments are conditions
    # Mathematics
    symmetric: bool = False  # two arguments may change places
    even: bool = False  # the sign of the argument does not matter
    neutral: float = 0  # the infinity that changes nothing as an argument; 0: there is none
    bounded: bool = False  # no argument makes it large
    vanishes: bool = False  # at one end at least it goes to zero faster than any power grows
    degree: int = 1  # of the power of its argument that it grows as
    finite_slope: bool = False  # its derivatives are finite wherever its arguments are
    kinks: tuple[Expr, ...]  # they vanish where the function or a derivative is not smooth
    convention: str = ""  # what holds at a kink or an edge: as in PyTorch
    notation: Notation
    # Values
    mp: Callable[..., Any] | None = None  # its value in mpmath; a composite has its body's
    float64: Callable[..., Any] | None = None  # in float64, if that rounds to its value in float32
    fraction: Callable[..., Fraction | int | None] | None = None  # its value of fractions, as exact
    large: str = ""  # the kind of argument whose size costs digits: angle, exponent, gamma or none
    digits: str = "any"  # of the value: same as of the arguments; more, in a sum or product; or any
    domain: tuple[tuple[Fraction, Fraction], ...]  # where samples are drawn, one range a param
    ulp: float = 1  # bound of the error of the float and double forms, outside zero crossings
    # In C++, in ATen and in Python
    cost: int = 0  # rough number of instructions
    symbol: str | None = None  # the operator in C++, for those that have one
    in_hardware: bool = False  # processors compute it themselves, so that it is never worth a call
    aten: str | Expr  # in ATen: `at::NAME` of the same params, all of them tensors, or a formula
    aten_numbers: bool = False  # ATen takes plain numbers after the first argument
    aten_mode: str = ""  # the rounding mode that `at::NAME` takes last
    ref: str  # what it means: a PyTorch expression over the params
    ref_numbers: bool = False  # PyTorch takes plain numbers after the first argument
    operator: str | None = None  # a Python expression over params that are plain numbers


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A special form: values as its arguments have them, and a gradient that says more."""

    name: str
    params: tuple[str, ...]
    gradient_to: tuple[int, ...]  # the positions of the arguments that a gradient goes on to
    ref: str  # a PyTorch expression over the params
    aten: str | None  # `at::NAME`; None: a function of the runtime, of this name
    ref_numbers: bool = False  # PyTorch takes plain numbers after the first argument
    operator: str | None = None  # a Python expression over params that are plain numbers
    digits: str = "same"  # of the value: same as of the arguments
    symmetric: bool = False
    selects: bool = False  # the first argument chooses among the others
    autograd_only: bool = False  # a kernel has the first argument in its place
    defaults: tuple[Expr, ...] = ()
    type_of: int | None = None  # the position of the last argument, if its type alone is read
    aliases: tuple[str, ...] = ()
    notation: Notation = Notation()

    def chosen(self, first: Any) -> int:
        """The position of the argument that is its value, by the value of the first one."""
        return (1 if first else 2) if self.selects else 0


def P(  # noqa: N802  one letter, so that the table is read by its columns
    signature: str,
    d: tuple[str | None, ...],
    *,
    body: str | None = None,
    shared: str | None = None,
    row_invariant: str | None = None,
    powers: Mapping[Fraction, str] | None = None,
    ref: str | None = None,
    aten: str | None = None,
    aten_body: str | None = None,
    domain: str = "-4:4",
    kinks: tuple[str, ...] = (),
    math: str | None = None,
    fences: tuple[tuple[str, str], tuple[str, str]] | None = None,
    means: str | None = None,
    note: str = "",
    **facts: Any,
) -> Function:
    """One row. `ref` and `aten` default to the name itself, `aten` of a composite to its body.

    `math` is the name in Unicode and, after a space, in LaTeX, if that is no plain word.
    """
    name, _, rest = signature.removesuffix(")").partition("(")
    params, _, defaults = zip(*(param.partition("=") for param in rest.split(", ")), strict=True)
    ref = ref or f"torch.{name}"
    expansion = aten_body or (body if aten is None else None)
    ranges = domain.split(", ")
    return Function(
        name=name,
        params=params,
        defaults=tuple(parse_formula(default) for default in defaults if default),
        derivatives=tuple(map(_formula, d)),
        body=_formula(body),
        shared=_formula(shared),
        row_invariant=_formula(row_invariant),
        powers={value: parse_formula(text) for value, text in (powers or {}).items()},
        ref=ref if "(" in ref else f"{ref}({', '.join(params)})",
        aten=parse_formula(expansion) if expansion else aten or name,
        domain=tuple(map(_range, ranges * len(params) if len(ranges) == 1 else ranges)),
        kinks=tuple(parse_formula(text) for text in kinks),
        notation=Notation(typeset(math), fences, _formula(means), note),
        **facts,
    )


def typeset(names: str | None) -> tuple[str, str] | None:
    r"""The name in Unicode and LaTeX: `σ \sigma`, or a word for both."""
    if names is None:
        return None
    word, _, latex = names.partition(" ")
    return word, latex or rf"\operatorname{{{word}}}"


def _formula(text: str | None) -> Expr | None:
    return None if text is None else parse_formula(text)


def _range(text: str) -> tuple[Fraction, Fraction]:
    low, high = text.split(":")
    return Fraction(low), Fraction(high)
