"""The descriptors of passes."""

from __future__ import annotations

import re
from pathlib import Path

from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec


def test_designators_stand_in_the_order_of_the_fields() -> None:
    header = Path(__file__).parents[3] / "runtime/fusewise/torch/op.h"
    struct = header.read_text().split("struct Output {")[1].split("\n};")[0]
    order = re.findall(r"^  [^/]*?(\w+)(?: = .*)?;", struct, re.MULTILINE)
    text = """\
op: f
inputs: {x: tensor, y: tensor}
outputs:
  a: {pack: [x, 1], dtype: float16, layout: interleaved}
  b: {pack: [y, 2], dtype: like y}
  c: {formula: "2", dtype: like x}
"""
    for view, count in zip(compile_spec(parse_spec(text)).view.passes, (7, 4), strict=False):
        lines = "".join(view.descriptor_lines)
        outputs = lines.split(".outputs = ")[1].split(".kernels")[0].split("{.name")
        fields = [[order.index(name) for name in re.findall(r"\.(\w+) = ", o)] for o in outputs]
        assert sum(map(len, fields)) == count
        assert all(found == sorted(found) for found in fields)


def test_an_input_that_is_not_read_is_an_optional_shape() -> None:
    text = "op: f\ninputs: {x: {split: [a, b], layout: interleaved}, y: tensor, z: tensor = 1}\n"
    text += "outputs: {out: a + 2 * b + exp(y) + z}\n"
    _, backward, double = compile_spec(parse_spec(text)).view.passes
    lines = "\n".join(backward.descriptor_lines)
    for part in (
        "Tensor grad_out, Tensor? y, Tensor? x, Tensor? z, ",
        '{.name = "x", .parts = 2, .layout = Layout::kInterleaved, .shape_only = true}',
        '{.name = "z", .shape_only = true}',
        '{.name = "grad_x", .like = 2, .reads = {0}, .parts = 2, .layout = Layout::kInterleaved}',
        '{.name = "grad_y", .like = 1, .reads = {0, 1}}',
        '{.name = "grad_z", .like = 3, .reads = {0}, .equal_input = 0}',
    ):
        assert part in re.sub(r"\n +", " ", lines.replace('"\n           "', ""))
    (struct,) = backward.structs
    assert (struct.num_reads, struct.num_writes, backward.likes) == (2, 4, "(2, 1, 3)")
    forward = "\n".join(compile_spec(parse_spec(text)).view.passes[0].descriptor_lines)
    assert ".saved_inputs = {1}," in forward
    assert ".saved_shapes = {0, 2}," in forward
    assert "shape_only" not in "\n".join(double.descriptor_lines)
