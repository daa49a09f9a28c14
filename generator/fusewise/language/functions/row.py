"""The types of a table row: `Function` (and operators), `Form` (special forms), `Reduction`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from fusewise.language.formula import Expr, parse_formula

Extent = Literal["element", "row"]  # one number for each element, or for each row of elements


@dataclass(frozen=True, slots=True)
class Notation:
    """The mathematical notation of a function. A pair holds Unicode and LaTeX."""

    name: tuple[str, str] | None = None  # None: the notation uses the function's own name
    fences: tuple[tuple[str, str], tuple[str, str]] | None = None  # they enclose the argument
    meaning: Expr | None = None  # the formula that mathematics writes in place of the function
    note: str = ""  # an explanation of an uncommon name


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Function:
    name: str
    params: tuple[str, ...]
    defaults: tuple[Expr, ...]  # the default values of the last params
    aliases: tuple[str, ...] = ()  # names of the same function in other libraries
    unlike_torch: str = ""  # how PyTorch's function of that name differs
    # Forms in the formula language, over the params
    derivatives: tuple[Expr | None, ...]  # by each param; None: not differentiable in it
    body: Expr | None  # the expansion of a composite; None: `math.h` has the function
    shared: Expr | None  # a form that is cheaper if the kernel computes most of its parts anyway
    row_invariant: Expr | None  # a form that is cheaper if the last argument is constant in a row
    powers: Mapping[Fraction | float | None, Expr]  # the forms by the value of the last argument
    # Types
    result: str = "float"  # float; bool; or same: integers stay integers
    integer: bool = False  # the function is defined on integer tensors
    of_conditions: bool = False  # the arguments are conditions
    # Mathematics
    symmetric: bool = False  # f(x, y) is f(y, x)
    even: bool = False  # f(-x) is f(x)
    neutral: float = 0  # the infinite argument for which the other one is the value; 0: none
    bounded: bool = False  # the value is small for all arguments
    vanishes: bool = False  # at one infinity at least, the value decays faster than any power grows
    degree: int = 1  # the value grows as this power of the argument
    finite_slope: bool = False  # True promises finite derivatives for all finite arguments
    kinks: tuple[Expr, ...]  # these vanish where the function or a derivative is not smooth
    convention: str = ""  # the value or derivative at a kink or an edge, as in PyTorch
    notation: Notation
    # Values
    mp: Callable[..., Any] | None = None  # in mpmath; None: the value of the body
    float64: Callable[..., Any] | None = None  # in float64, if its rounding is right for float32
    fraction: Callable[..., Fraction | int | None] | None = None  # the exact value of fractions
    large: str = ""  # angle, exponent or gamma: mpmath needs a digit for each digit of the argument
    slow: bool = False  # mpmath takes minutes for thousands of digits
    digits: str = "any"  # number of digits of the exact value: same as the arguments; more; any
    domain: tuple[tuple[Fraction, Fraction], ...]  # the range of samples of each param
    ulp: float = 1  # bound of the error of the float and double forms, outside zero crossings
    # C++, ATen and Python
    cost: int = 0  # rough number of instructions
    symbol: str | None = None  # the operator in C++, if there is one
    in_hardware: bool = False  # processors have an instruction: it is cheaper than a function call
    aten: str | Expr  # a function of aten.h with the same params, or a formula
    aten_numbers: bool = False  # it takes plain numbers after the first argument
    aten_mode: str = ""  # the rounding mode that it takes as its last argument
    ref: str  # the definition: a PyTorch expression over the params
    ref_numbers: bool = False  # PyTorch takes plain numbers after the first argument
    operator: str | None = None  # a Python expression over params that are plain numbers


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A special form: its value is one of its arguments, its gradient has a rule of its own."""

    name: str
    params: tuple[str, ...]
    meaning: str
    gradient_to: tuple[int, ...]  # the positions of the arguments that receive the gradient
    ref: str  # the definition: a PyTorch expression over the params
    aten: str | None  # a function of ATen in aten.h; None: another one with the form's name
    selects: bool = False  # the first argument chooses among the others
    autograd_only: bool = False  # a kernel computes the first argument in its place
    type_of: int | None = None  # the position of the last argument, if only its type is read
    aliases: tuple[str, ...] = ()
    ref_numbers: bool = False  # this and the fields below have the meaning of Function's fields
    operator: str | None = None
    digits: str = "same"
    symmetric: bool = False
    defaults: tuple[Expr, ...] = ()
    notation: Notation = Notation()

    def chosen(self, first: Any) -> int:
        """The position of the argument that is the value, given the value of the first one."""
        return (1 if first else 2) if self.selects else 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Reduction:
    """A function of a row of elements. The first param is an element expression.

    The other params are plain numbers. Formulas may use other reductions, `index` and `length`.
    """

    name: str
    params: tuple[str, ...]
    defaults: tuple[Expr, ...] = ()
    aliases: tuple[str, ...] = ()
    extent: Extent = "row"  # of the result; softmax gives elements
    body: Expr | None  # the expansion over the params; None: kernels have the reduction
    # The gradient of the first param, over the params, the result `out` and its gradient `g`.
    # None: not differentiable.
    gradient: Expr | None
    # The value over the params where the first is a value of the row, which all elements have.
    # Its gradient is that of the row. None: by the body.
    of_equal: Expr | None = None
    # Types, as Function's; `int` is a further result
    result: str = "float"
    integer: bool = False
    of_conditions: bool = False
    convention: str = ""  # the value or derivative at an edge, as in PyTorch
    notation: Notation
    mp: Callable[[Sequence[Any]], Any] | None = None  # of a row in mpmath; None: by the body
    ref: str  # the definition: a PyTorch expression that keeps the last dimension
    aten: str | None = None  # a function of aten.h, likewise; None: by the body
    symmetric: bool = False  # this and the fields below have the meaning of Function's fields
    finite_slope: bool = False
    digits: str = "any"
    ref_numbers: bool = True
    operator: str | None = None


def left_out(row: Function | Form | Reduction, given: int) -> tuple[Expr, ...]:
    """The defaults of the arguments that a call with so many leaves out."""
    return row.defaults[len(row.defaults) - len(row.params) + given :]


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
    """One row. `ref` and `aten` default to the name; `aten` of a composite defaults to its body.

    d: the derivatives by each param, as formulas. aten_body: a formula for `aten`.
    domain: `low:high` for all params, or one range for each. means: the formula for `meaning`.
    math: the name in Unicode and, after a space, in LaTeX if it is not a plain word.
    """
    name, params, defaults = parse_signature(signature)
    ref = ref or f"torch.{name}"
    expansion = aten_body or (body if aten is None else None)
    ranges = domain.split(", ")
    return Function(
        name=name,
        params=params,
        defaults=defaults,
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


def R(  # noqa: N802  as P
    signature: str,
    *,
    body: str | None,
    gradient: str | None,
    of_equal: str | None = None,
    math: str | None = None,
    fences: tuple[tuple[str, str], tuple[str, str]] | None = None,
    note: str = "",
    **facts: Any,
) -> Reduction:
    """One reduction. `math` and `fences` are as for `P`."""
    name, params, defaults = parse_signature(signature)
    return Reduction(
        name=name,
        params=params,
        defaults=defaults,
        body=_formula(body),
        gradient=_formula(gradient),
        of_equal=_formula(of_equal),
        notation=Notation(typeset(math), fences, note=note),
        **facts,
    )


def typeset(names: str | None) -> tuple[str, str] | None:
    r"""The name in Unicode and LaTeX, from `σ \sigma` or one word for both."""
    if names is None:
        return None
    word, _, latex = names.partition(" ")
    return word, latex or rf"\operatorname{{{word}}}"


def parse_signature(signature: str) -> tuple[str, tuple[str, ...], tuple[Expr, ...]]:
    """Name, params and defaults of `name(x, y=1)`."""
    name, _, rest = signature.removesuffix(")").partition("(")
    params, _, defaults = zip(*(param.partition("=") for param in rest.split(", ")), strict=True)
    return name, params, tuple(parse_formula(default) for default in defaults if default)


def _formula(text: str | None) -> Expr | None:
    return None if text is None else parse_formula(text)


def _range(text: str) -> tuple[Fraction, Fraction]:
    low, high = text.split(":")
    return Fraction(low), Fraction(high)
