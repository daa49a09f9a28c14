"""Variants of an op: one for each combination of the values of params with `choices`.

A variant is the spec with the values in place of the params, so unused branches fold away. Each
variant has its own kernels and memory plan, and is an op of the dispatcher,
`<op>__<param>_<value>`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fusewise.language.errors import Location, Problem, SpecError
from fusewise.language.formula import Call, Expr, Name, Number, map_names
from fusewise.language.functions.operators import NEG
from fusewise.language.model import Param, Spec, Step

MAX_VARIANTS = 16
_SHORT = 10**16  # of whole numbers below it all digits are shown; 1e300 has 301

Value = Fraction | float | bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One combination of values, and the spec with these values in place of the params."""

    op: str  # the name without the choice
    values: tuple[tuple[str, Value], ...]
    arguments: Mapping[str, float | int | bool]  # the values in the types that Python callers pass
    spec: Spec

    @property
    def suffix(self) -> str:
        """The suffix of the variant's name, such as `act_1`; empty if no param has choices."""
        return "_".join(f"{name}_{_word(value)}" for name, value in self.values)

    def __str__(self) -> str:
        return ", ".join(f"{name} = {_shown(value)}" for name, value in self.values)


def take_choices(spec: Spec) -> tuple[Choice, ...]:
    """Every combination of choices, the default first; one empty choice if no param has choices.

    Raises:
        SpecError: there are more than `MAX_VARIANTS` combinations.
    """
    params = [param for param in spec.params if param.choices]
    count = 1
    for param in params:
        count *= len(param.choices)
        if count > MAX_VARIANTS:
            message = f"these choices make {count} variants, at most {MAX_VARIANTS} are compiled"
            hint = "leave a param without choices: it is then an argument of one kernel"
            raise SpecError(Problem(message, param.location, hint))
    combinations = itertools.product(*(param.choices for param in params))
    defaults = tuple(param.default for param in params)
    ordered = sorted(combinations, key=lambda values: values != defaults)
    return tuple(_choice(spec, dict(zip(params, values, strict=True))) for values in ordered)


def default_choice(spec: Spec) -> Choice | None:
    """The choice of the defaults; None if a param with choices has no default."""
    if any(param.choices and param.default is None for param in spec.params):
        return None
    return take_choices(spec)[0]


def _choice(spec: Spec, values: Mapping[Param, Value]) -> Choice:
    named = {param.name: value for param, value in values.items()}
    arguments = {param.name: param.cast(value) for param, value in values.items()}
    choice = Choice(spec.name, tuple(named.items()), arguments, spec)
    if not values:
        return choice

    def put(name: Name) -> Expr:
        """The value of a param. An error about it has the place of the name."""
        return _expr(named[name.id], name.location) if name.id in named else name

    def written(step: Step) -> Step:
        return replace(step, formula=map_names(step.formula, put))

    backward = spec.backward and replace(
        spec.backward, gradients=tuple(map(written, spec.backward.gradients))
    )
    chosen = replace(
        spec,
        name=f"{spec.name}__{choice.suffix}",
        params=tuple(param for param in spec.params if param not in values),
        let=tuple(map(written, spec.let)),
        outputs=tuple(
            replace(output, parts=tuple(map_names(part, put) for part in output.parts))
            for output in spec.outputs
        ),
        backward=backward,
    )
    return replace(choice, spec=chosen)


def _expr(value: Value, place: Location) -> Expr:
    """A value as a formula. True and False are 1 and 0, which conditions accept."""
    if not isinstance(value, float):
        return Number(Fraction(value), place)
    infinity = Name("inf", place)  # no choice is nan
    return infinity if value > 0 else Call(NEG.name, (infinity,), place)


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    is_short = abs(value) < _SHORT and Fraction(value).denominator == 1
    return str(int(value) if is_short else float(value))


def _word(value: Value) -> str:
    """A value as part of a name."""
    return _shown(value).replace("-", "minus_").replace(".", "_").replace("+", "")
