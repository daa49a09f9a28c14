"""Slices of ops agree with PyTorch's references and with their own differences."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import pytest
import torch
from fusewise.language.choices import take_choices
from fusewise.language.model import Spec
from fusewise.language.spec import parse_spec
from fusewise.measure.contenders import eager_function, reference_learns
from fusewise.pipeline import compile_spec
from fusewise.report.slices import ROW, Slice, slices_of, usual_inputs
from repository import PLAIN, POINTWISE, SPECS, compiled
from torch import Tensor

NO_MODULE = ModuleType("none")


def slices(op: str) -> list[Slice]:
    return slices_of(SPECS[op], compiled(op).variants[0])


def column(values: object) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def packed(parts: list[Tensor], layout: str | None) -> Tensor:
    return torch.stack(parts, -1).flatten(1) if layout == "interleaved" else torch.cat(parts, -1)


def parts_of(spec: Spec, outputs: Tensor | tuple[Tensor, ...]) -> dict[str, Tensor]:
    """The parts of outputs that have one element for each part in a row."""
    found = (outputs,) if isinstance(outputs, Tensor) else outputs
    parts = {}
    for output, value in zip(spec.outputs, found, strict=True):
        names = [output.name] if len(output.parts) == 1 else output.names
        parts |= dict(zip(names, value.expand(-1, len(names)).double().unbind(1), strict=True))
    return parts


def reference(spec: Spec, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The outputs of a spec's reference, or formula, where each part has one column of values."""
    params = {param.name: param.cast(spec.usual(param)) for param in spec.params}
    kinds = {"bool": torch.bool, "int": torch.int64}
    inputs = [
        packed([values[name] for name in entry.names], entry.layout).to(
            kinds.get(entry.dtype, torch.float64)
        )
        for entry in spec.inputs
    ]
    return parts_of(spec, eager_function(spec, NO_MODULE, params)(*inputs, **params))


@pytest.mark.parametrize("op", [op for op in POINTWISE if SPECS[op].test.reference])
def test_values_and_derivatives_agree_with_the_reference(op: str) -> None:
    spec = SPECS[op]
    usual = {name: float(value) for name, value in usual_inputs(spec).items()}
    for found in slices(op):
        places = column(found.places)[7::13]
        x = places.unsqueeze(1).clone().requires_grad_(not found.is_whole)
        values = {name: torch.full_like(x, value) for name, value in usual.items()}
        outputs = reference(spec, {**values, found.name: x})
        for curve in found.curves:
            expected = outputs[curve.output]
            value = column(curve.value)[7::13]
            torch.testing.assert_close(value, expected.detach(), rtol=1e-9, atol=1e-9)
            if curve.first is None or not reference_learns(spec) or not expected.requires_grad:
                continue
            (slope,) = torch.autograd.grad(expected.sum(), x, retain_graph=True)
            first = column(curve.first)[7::13]
            torch.testing.assert_close(first, slope.squeeze(1), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("op", [op for op in PLAIN if reference_learns(SPECS[op])])
def test_derivatives_are_the_slopes_of_the_curves(op: str) -> None:
    """The second derivative too, also of ops whose backward reads an output."""
    for found in slices(op):
        if found.is_whole:
            continue
        step = found.places[1] - found.places[0]
        for curve in found.curves:
            for values, slope in ((curve.value, curve.first), (curve.first, curve.second)):
                if values is None or slope is None:
                    continue
                y, expected = column(values), column(slope)[1:-1]
                difference = (y[2:] - y[:-2]) / (2 * step)
                scale = expected.abs().max() + difference.abs().max()
                is_near = (difference - expected).abs() <= 0.02 * scale + 1e-9
                assert is_near.double().mean() > 0.95, (found.name, curve.output)


def test_a_row_has_other_elements() -> None:
    (x, weight) = slices("rms_norm")
    row = column([-1.75, 0, 1.25, -1.25, 0.25, 1.75, -0.75, 0.75]).repeat(len(x.places), 1)
    row[:, 1] = column(x.places)
    row.requires_grad_()
    out = torch.nn.functional.rms_norm(row, [8], eps=1e-6)[:, 1]
    (slope,) = torch.autograd.grad(out.sum(), row, create_graph=True)
    (second,) = torch.autograd.grad(slope[:, 1].sum(), row)
    (curve,) = x.curves
    torch.testing.assert_close(column(curve.value), out.detach())
    torch.testing.assert_close(column(curve.first), slope[:, 1].detach())
    torch.testing.assert_close(column(curve.second), second[:, 1])
    assert set(weight.curves[0].second or ()) == {0.0}


def test_what_has_no_derivative_has_none() -> None:
    (target,) = [found for found in slices("cross_entropy") if found.name == "target"]
    assert target.is_whole
    assert target.places == [0, 1, 2, 3, 4]
    assert (target.curves[0].first, target.curves[0].second) == (None, None)
    old = next(found for found in slices("grpo_loss") if found.name == "old_logp")
    assert [curve.first for curve in old.curves] == [None, None, None]
    assert slices_of(SPECS["lltm"], compiled("lltm").variants[0]) == []


def test_a_surrogate_shows_the_gradient_of_the_spec() -> None:
    (x,) = slices("gradient_reversal")
    assert set(x.curves[0].first or ()) == {-1.0}


def test_variants_have_their_own_curves() -> None:
    values = [
        slices_of(SPECS["bias_act"], v)[0].curves[0].value for v in compiled("bias_act").variants
    ]
    assert len(values) == len(take_choices(SPECS["bias_act"])) == len(set(map(tuple, values)))


def test_a_number_shared_by_a_row_moves_all_elements() -> None:
    text = (
        "op: f\ninputs: {x: tensor, s: tensor}\noutputs: {out: sum(x * s)}\n"
        "shapes: [{x: [4, 8], s: [1]}]\n"
    )
    spec = parse_spec(text)
    _, s = slices_of(spec, compile_spec(spec).variants[0])
    (curve,) = s.curves
    total = -1.75 + 1 + 1.25 - 1.25 + 0.25 + 1.75 - 0.75 + 0.75
    assert curve.first == pytest.approx([total] * len(s.places))


@pytest.mark.parametrize(("reduce", "slope"), [("-3", 1), ("-1", ROW)])
def test_a_row_may_be_another_dimension(reduce: str, slope: int) -> None:
    """A weight of channels differs in a row of channels, and is one number in a row of pixels."""
    spec = parse_spec(
        "op: weighted\ninputs: {x: tensor, w: tensor}\noutputs: {out: sum(w) - x}\n"
        f"reduce: {reduce}\nshapes: [{{x: [2, 4, 5, 6], w: [4, 1, 1]}}]\n"
    )
    _, w = slices_of(spec, compile_spec(spec).variants[0])
    (curve,) = w.curves
    assert curve.first == pytest.approx([slope] * len(w.places))
