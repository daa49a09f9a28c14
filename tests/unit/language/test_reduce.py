"""The dimensions of a row."""

from __future__ import annotations

import pytest
from fusewise.language.errors import SpecError
from fusewise.language.model import RowDims, Spec
from fusewise.language.sections.compose import check_compose
from fusewise.language.spec import parse_spec, read_spec
from python_function import read


def spec_of(reduce: str) -> Spec:
    return parse_spec(
        f"op: sample\ninputs: {{x: tensor, w: tensor = 1, t: row tensor = 1}}\n{reduce}\n"
        "outputs: {y: x * w - t * mean(x)}\n"
    )


@pytest.mark.parametrize(
    ("reduce", "dims", "names"),
    [
        ("", (-1,), []),
        ("reduce: -1", (-1,), []),
        ("reduce: [-1]", (-1,), []),
        ("reduce: -3", (-3,), []),
        ("reduce: [-1, -2]", (-2, -1), []),
        ("reduce: [-1, -4, -2]", (-4, -2, -1), []),
        ("reduce: dim", (-1,), ["dim"]),
        ("reduce: axis", (-1,), ["axis"]),
    ],
)
def test_reduce(reduce: str, dims: tuple[int, ...], names: list[str]) -> None:
    spec = spec_of(reduce)
    assert spec.rows.dims == dims
    assert [param.name for param in spec.keywords] == names
    assert spec.params == ()
    assert spec.rows.are_last == (dims == (-1,) and not names)
    assert spec.rows_name == ("sample" if spec.rows.are_last else "sample__rows")


@pytest.mark.parametrize(
    ("dims", "shape", "row", "last"),
    [
        ((-1,), (2, 3, 4), (2, 3, 1), (2, 3, 4)),
        ((-2,), (2, 3, 4), (2, 1, 4), (2, 4, 3)),
        ((-3,), (2, 3, 4), (1, 3, 4), (3, 4, 2)),
        ((-2, -1), (2, 3, 4), (2, 1, 1), (2, 12)),
        ((-3, -1), (5, 2, 3, 4), (5, 1, 3, 1), (5, 3, 8)),
        ((-3,), (4,), (1, 1, 4), (4, 1)),
        ((-2, -1), (), (1, 1), (1,)),
    ],
)
def test_shapes(
    dims: tuple[int, ...], shape: tuple[int, ...], row: tuple[int, ...], last: tuple[int, ...]
) -> None:
    """The shape of a row tensor in all dimensions, and that of an element tensor in the loop."""
    rows = RowDims(dims)
    x, _, t = spec_of("").inputs
    lacking = {len(shape) + dim for dim in dims}
    given = [size for k, size in enumerate(shape) if k not in lacking]
    assert rows.full_shape(t, given) == row
    assert rows.rows_last(rows.full_shape(x, shape)) == last


def test_the_loop() -> None:
    spec = spec_of("reduce: [-2, -1]")
    shapes = {"x": (8, 4, 1), "w": (5,), "t": (8,)}
    assert spec.full_shape(shapes) == (8, 4, 5)
    assert spec.loop_shape(shapes) == (8, 20)
    parts = [spec.part_shape(entry, shapes[entry.name]) for entry in spec.inputs]
    assert parts == [(8, 4), (5,), (8, 1)]


@pytest.mark.parametrize("reduce", ["-2", "[-3, -1]", '"dim"'])
def test_the_decorator_takes_it(reduce: str) -> None:
    function = f"@op(reduce={reduce})\ndef f(x):\n    return sum(x)\n"
    yaml = f"op: f\ninputs: {{x: tensor}}\nreduce: {reduce}\noutputs: {{out: sum(x)}}\n"
    found, expected = read_spec(read(function), "cell.py"), parse_spec(yaml)
    assert found.rows.dims == expected.rows.dims
    assert [p.name for p in found.keywords] == [p.name for p in expected.keywords]


def test_a_composed_op_cannot_call_it() -> None:
    steps = "inputs: {x: tensor}\ncompose: {y: sample(x)}\noutputs: [y]\n"
    composed = parse_spec(f"op: composed\n{steps}")
    check_compose([spec_of(""), composed])
    with pytest.raises(SpecError, match="'sample' has a 'reduce', and no composed op can call it"):
        check_compose([spec_of("reduce: -2"), composed])
