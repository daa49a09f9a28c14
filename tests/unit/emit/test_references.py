"""The references of generated tests give what the op gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from fusewise import testing
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from torch import Tensor


def reference_of(text: str) -> Callable[..., Any]:
    """The reference that the test file of a spec has."""
    scope: dict[str, Any] = {"torch": torch, "testing": testing}
    exec("\n".join(compile_spec(parse_spec(text)).view.test.definition_lines), scope)
    return scope["reference"]


def test_the_reference_of_a_test_gives_what_the_op_gives() -> None:
    """Integers that meet floats are floats, and params choose no shape."""
    text = """\
op: f
inputs: {i: int tensor, x: tensor, y: tensor}
params: {p: float = 0.5, up: bool = true}
let: {s: 2 * p, t: exp(p), low: p < 1 and up}
outputs:
  a: minimum(x + i / 3 + 2 ** i, y + s + t)
  b: maximum(x, s) if up else y
  c: "2"
  d: {formula: p > 1, dtype: bool}
  e: x if p > 1 else 1
  f: x > 1 if p > 1 else low
"""
    lines = compile_spec(parse_spec(text)).view.test.definition_lines
    scope: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), scope)
    i, x, y = torch.tensor([-2, 3]), torch.zeros(3, 1).double(), torch.full((2,), 100.0).double()
    a, b, c, d, e, f = scope["reference"](i, x, y)
    torch.testing.assert_close(a, (torch.tensor([-2 / 3 + 1 / 4, 9.0]).double()).expand(3, 2))
    torch.testing.assert_close(b, torch.ones(3, 2).double())
    torch.testing.assert_close(c, torch.full((3, 2), 2.0).double())
    assert torch.equal(d, torch.zeros(3, 2, dtype=torch.bool))
    torch.testing.assert_close(e, torch.ones(3, 2).double())
    assert torch.equal(f, torch.ones(3, 2, dtype=torch.bool))


def test_the_reference_of_integers_beside_a_float_gives_integers() -> None:
    text = """\
op: f
inputs: {i: int tensor, j: int tensor}
outputs:
  a: i // 2 + j
  b: {formula: i / 4, dtype: float32}
"""
    i, j = torch.tensor([-3, 5], dtype=torch.int16), torch.tensor([1, 2])
    a, b = reference_of(text)(i, j)
    torch.testing.assert_close(a, torch.tensor([-1, 4]))
    torch.testing.assert_close(b, torch.tensor([-0.75, 1.25]))


def test_the_reference_computes_with_the_place_in_a_row_in_the_type_of_floats() -> None:
    text = """\
op: f
inputs: {x: tensor}
outputs:
  a: x * (index / length) + sqrt(index)
  b: sum(x if index == 1 else 0) * (1 / (index + 1) if index > 0 else 2)
"""
    x = torch.tensor([0.5, 3, 7]).double()
    a, b = reference_of(text)(x)
    exact = {"rtol": 1e-15, "atol": 0}
    torch.testing.assert_close(
        a, torch.tensor([0, 2, 14 / 3 + 2**0.5], dtype=torch.double), **exact
    )
    torch.testing.assert_close(b, torch.tensor([6, 1.5, 1], dtype=torch.double), **exact)


GUARDED = """\
op: f
inputs: {x: tensor, bias: tensor, keep: bool tensor}
let: {root: sqrt(x), total: sum(x)}
outputs:
  a: root if x > 0 else -sqrt(-x)
  b: (1 / x if x != 0 else 0) * total
  c: exp(x + bias) if x < 1 else (log(x) if keep else 1)
reduce: -1
"""


def test_a_branch_that_is_not_taken_passes_no_gradient_in_the_reference() -> None:
    """Its derivatives would be infinite or NaN, also the second ones."""
    given = reference_of(GUARDED)
    bias, keep = torch.tensor([2.0]).double(), torch.tensor([True, True, False, True])

    def reference(x: Tensor, bias: Tensor) -> Sequence[Tensor]:
        return given(x, bias, keep)

    x = torch.tensor([4.0, -9.0, 0.0, 1e4]).double().requires_grad_()
    bias.requires_grad_()
    a, b, c = reference(x, bias)
    total = x.sum().item()
    torch.testing.assert_close(a, torch.tensor([2.0, -3.0, -0.0, 100.0]).double())
    (slope,) = torch.autograd.grad(a[..., [0, 1, 3]].sum(), x)
    torch.testing.assert_close(slope[[0, 1, 3]], torch.tensor([1 / 4, 1 / 6, 1 / 200]).double())
    torch.testing.assert_close(b, torch.tensor([1 / 4, -1 / 9, 0.0, 1e-4]).double() * total)
    (slope,) = torch.autograd.grad(b[..., 0], x, retain_graph=True)
    torch.testing.assert_close(
        slope, torch.tensor([(1 - total / 4) / 4, 0.25, 0.25, 0.25]).double()
    )
    slopes = torch.autograd.grad(c.sum(), (x, bias))
    expected = [1 / 4, math.exp(-7), math.exp(2), 1e-4]
    torch.testing.assert_close(slopes[0], torch.tensor(expected).double())
    torch.testing.assert_close(slopes[1], torch.tensor([math.exp(-7) + math.exp(2)]).double())
    point = torch.tensor([4.0, -9.0, 0.5, 3.0]).double().requires_grad_()
    torch.autograd.gradgradcheck(reference, (point, bias))


def test_reductions_in_a_branch_that_is_not_taken_pass_no_gradient_in_the_reference() -> None:
    reference = reference_of("""\
op: f
inputs: {x: tensor, keep: bool tensor}
outputs:
  a: norm(x) / count(keep) if any(keep) else 0
  b: 0 if x == 0 else log(x / sum(x))
""")
    x = torch.tensor([[3.0, 4.0, 0.0], [1.0, 2.0, 5.0]]).double().requires_grad_()
    keep = torch.tensor([[True, False, True], [False, False, False]])
    a, b = reference(x, keep)
    torch.testing.assert_close(a, torch.tensor([2.5, 0.0]).double())
    (slope,) = torch.autograd.grad(a.sum(), x, retain_graph=True)
    torch.testing.assert_close(slope, torch.tensor([[0.3, 0.4, 0], [0, 0, 0]]).double())
    (slope,) = torch.autograd.grad(b[0].sum(), x)
    third = -2 / 7  # its logarithm has no gradient, but it is a term of the sum
    torch.testing.assert_close(
        slope[0], torch.tensor([1 / 3 + third, 1 / 4 + third, third]).double()
    )


def test_branches_within_branches_are_written_once() -> None:
    formula = "x"
    for _ in range(30):
        formula = f"sqrt({formula}) if x > 0 else 1"
    reference = reference_of(f"op: f\ninputs: {{x: tensor}}\noutputs:\n  y: {formula}\n")
    x = torch.tensor([-1.0, 16.0]).double().requires_grad_()
    y = reference(x)
    torch.testing.assert_close(y, torch.tensor([1.0, 16**2**-30]).double())
    assert torch.autograd.grad(y.sum(), x)[0].isfinite().all()


def test_the_reference_takes_the_length_of_a_row_for_a_number() -> None:
    reference = reference_of("""\
op: f
inputs: {x: tensor, k: int row tensor}
outputs:
  a: x / length if x > 0 else 0
  b: -sum(x) / log(length + 1)
  c: (x - mean(x)) / (length - 1) if length > 1 else x
  d: minimum(k, length) + sqrt(length)
  e: k if length > 2 and k < 9 else 0
""")
    a, b, c, d, e = reference(torch.tensor([[1.0, -3.0]]).double(), torch.tensor([7]))
    torch.testing.assert_close(a, torch.tensor([[0.5, 0.0]]).double())
    torch.testing.assert_close(b, 2 / torch.tensor([3.0]).double().log())
    torch.testing.assert_close(c, torch.tensor([[2.0, -2.0]]).double())
    torch.testing.assert_close(d, torch.tensor([2.0 + math.sqrt(2)], dtype=torch.double))
    torch.testing.assert_close(e, torch.tensor([0.0]).double())


@pytest.mark.parametrize("on", [True, False])
def test_a_param_may_choose_a_value_of_the_row_in_the_reference(on: bool) -> None:
    reference = reference_of("""\
op: f
inputs: {x: tensor}
params: {on: bool = true}
let: {y: mean(x) if on else x}
outputs:
  a: x - amax(x) if on else mean(x)
  b: sum(y)
""")
    a, b = reference(torch.tensor([[1.0, 2.0, 6.0]]).double(), on=on)
    expected = [-5.0, -4.0, 0.0] if on else [3.0, 3.0, 3.0]
    torch.testing.assert_close(a, torch.tensor([expected]).double())
    torch.testing.assert_close(b, torch.tensor([9.0]).double())


def test_the_reference_counts_in_the_type_of_floats() -> None:
    text = """\
op: f
inputs: {x: tensor, m: bool tensor}
reduce: -1
outputs: {y: x * (count(m) / length)}
"""
    found = reference_of(text)(torch.ones(3).double(), torch.tensor([True, False, False]))
    torch.testing.assert_close(
        found, torch.full((3,), 1 / 3, dtype=torch.double), rtol=1e-15, atol=0
    )


def test_a_whole_number_beyond_64_bits_is_a_float() -> None:
    text = """\
op: f
inputs: {x: tensor, y: tensor = 1e30}
params: {p: float = -1e25}
outputs:
  a: x if y > 0 else -1e30
  b: x * 10 ** 20 + 2 ** 63 * y + p
  c: maximum(x, -9223372036854775808)
  d: x * (10 ** 400 / 10 ** 399)
test: {exclude: x == 1e30}
"""
    lines = compile_spec(parse_spec(text)).view.test.definition_lines
    scope: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), scope)
    x, y = torch.tensor([-2.0, 3.0]).double(), torch.tensor([-1.0, 1.0]).double()
    a, b, c, d = scope["reference"](x, y)
    torch.testing.assert_close(a, torch.tensor([-1e30, 3.0]).double())
    torch.testing.assert_close(b, x * 1e20 + 2.0**63 * y - 1e25)
    assert scope["reference"](x)[0].tolist() == x.tolist()
    torch.testing.assert_close((c, d), (x, 10 * x))
    assert not scope["exclude"](x).any()


def test_the_points_to_exclude_may_name_steps() -> None:
    text = """\
op: f
inputs: {x: tensor}
params: {p: float = 1}
let: {unused: exp(x), high: p > 3, s: x * p, t: s + 1}
outputs: {out: t + unused if high else s}
test: {exclude: t > 3 or high and x > 0}
"""
    lines = compile_spec(parse_spec(text)).view.test.definition_lines
    scope: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), scope)
    assert scope["exclude"](torch.tensor([-2.0, 1.0, 3.0])).tolist() == [False, False, True]
    assert scope["exclude"](torch.tensor([-2.0, 0.25]), p=4.0).tolist() == [False, True]
    assert sum("exp" in line for line in lines) == 1  # of the reference


@pytest.mark.parametrize(
    ("power", "domain", "values"),
    [
        ("int", "[1, 4]", "(2, 1)"),
        ("int = 3", "[1, 4]", "(3, 2)"),
        ("int", "[-3.5, 0]", "(-2, -3)"),
        ("float", "[1, 4]", "(2.5, 1)"),
    ],
)
def test_values_of_params_have_their_type(power: str, domain: str, values: str) -> None:
    text = "op: f\ninputs: {{x: tensor}}\nparams: {{power: {}}}\noutputs: {{out: x * power}}\n"
    spec = parse_spec(f"{text.format(power)}test: {{domain: {{power: {domain}}}}}\n")
    assert f'    params={{"power": {values}}},' in compile_spec(spec).view.test.field_lines


@pytest.mark.parametrize("size", ["[0]", "[0, 0]", "[2, 0]"])
def test_a_composed_op_of_empty_tensors(size: str) -> None:
    text = f"inputs: {{x: tensor}}\ncompose: {{out: 'add(x, x)'}}\nshapes: [{{x: {size}}}]\n"
    spec = parse_spec(f"op: f\n{text}outputs: [out]\n")
    lines = compile_spec(spec).view.test.field_lines
    assert any(line.strip().startswith('Input("x", shape=(') for line in lines)


def test_values_with_the_names_of_called_ops() -> None:
    ops = [
        parse_spec("op: halve\ninputs: {x: tensor, y: tensor}\noutputs: {out: x * y / 2}\n"),
        parse_spec("op: halve_\ninputs: {x: tensor}\noutputs: {out: x + 1}\n"),
        parse_spec("op: twice\ninputs: {x: tensor}\noutputs: {out: 2 * x}\n"),
    ]
    steps = "{twice: twice(x), more: halve_(twice), out: 'halve(more, halve)'}"
    text = f"inputs: {{x: tensor, halve: tensor}}\ncompose: {steps}\noutputs: [out]\n"
    scope: dict[str, Any] = {"torch": torch}
    lines = compile_spec(parse_spec(f"op: f\n{text}"), ops).view.test.definition_lines
    exec("\n".join(lines), scope)
    x, halve = torch.tensor([3.0]), torch.tensor([5.0])
    torch.testing.assert_close(scope["reference"](x, halve), (2 * x + 1) * halve / 2)


def test_a_surrogate_takes_the_choice() -> None:
    text = """
op: f
inputs: {x: tensor}
params: {p: {type: int, default: 2, choices: [2, 3]}}
outputs: {out: x * p}
backward: {is: surrogate, grad_x: grad_out * (x if p == 2 else 5 * x)}
"""
    lines = compile_spec(parse_spec(text)).view.test.definition_lines
    scope: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), scope)
    x, grad_out = torch.tensor([1.0, -2.0]), torch.tensor([0.5, 3.0])
    (of_default,), (of_other,) = (scope["surrogate"](grad_out, x, p=p) for p in (2, 3))
    assert torch.equal(of_default, grad_out * x)
    assert torch.equal(of_other, grad_out * (5 * x))


def test_the_reference_keeps_an_input_without_dimensions_so() -> None:
    """A row tensor has a row of elements there; the value of an absent one has no rows."""
    text = """\
op: f
inputs: {x: tensor, s: row tensor = 2}
outputs: {a: x * s + sum(x)}
"""
    x = torch.tensor(3.0).double()
    torch.testing.assert_close(reference_of(text)(x), torch.tensor(9.0).double())
    columns = torch.tensor([[3.0, 4], [5, 6]]).double()
    wanted = columns * torch.tensor([[2.0], [3]]) + columns.sum(1, keepdim=True)
    torch.testing.assert_close(reference_of(text)(columns, torch.tensor([2.0, 3]).double()), wanted)
