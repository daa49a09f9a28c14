"""Resources of CUDA kernels: the output of ptxas, and the limits."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from fusewise.measure.ptxas import REDUCE_SPILL_LIMIT, Kernel, template_of
from fusewise.measure.resources import SIZE_LIMIT, Op, Results

GOOD = Kernel("backward", "pointwise", "Vectorized<half>, 1", 32, 0, 0, 0, 0, 8192)
REDUCING = Kernel(
    "backward", "reduction", "Vectorized<half>", 64, 16, REDUCE_SPILL_LIMIT, 100, 9216, 30720
)


def test_what_fails() -> None:
    spilling = replace(GOOD, spill_stores=8)
    reducing = replace(REDUCING, spill_stores=REDUCE_SPILL_LIMIT + 4)
    assert Op("gate", 1.0, SIZE_LIMIT, (GOOD, REDUCING)).failures == []
    assert Op("gate", 1.0, SIZE_LIMIT + 1024, (spilling, reducing)).failures == [
        "gate: backward pointwise Vectorized<half>, 1: 8 bytes spilled, none are good",
        "gate: backward reduction Vectorized<half>: 12 bytes spilled, at most 8 are good",
        "gate: a variant adds 301 KiB, at most 300 KiB are good",
    ]


@pytest.mark.parametrize(
    ("name", "form", "op_pass", "vector"),
    [
        (
            "void fusewise::cuda::totals_kernel<(anonymous namespace)::Mean,"
            " fusewise::cuda::Strided<float, 4, false>, 0u>(fusewise::cuda::Arguments<int>)",
            "totals",
            "Mean",
            "fusewise::cuda::Strided<float, 4, false>, 0u",
        ),
        (
            "void fusewise::cuda::row_sums_kernel<fusewise::cuda::RowPasses<0u, 0u, 4u, 0u, 2u,"
            " false, fusewise::ops::norm::BackwardElements, fusewise::cuda::NoPass,"
            " fusewise::cuda::NoPass, fusewise::cuda::Phase<"
            "fusewise::ops::norm::BackwardTotals0, 0u>, fusewise::cuda::Phase<fusewise::ops::norm::"
            "BackwardTotals1, 1u> >, fusewise::cuda::FloatVectorized<fusewise::half> >"
            "(fusewise::cuda::Arguments<fusewise::cuda::RowPasses<0u> >)",
            "row_sums",
            "Backward",
            "fusewise::cuda::FloatVectorized<fusewise::half>",
        ),
        (
            "void fusewise::cuda::row_kernel<fusewise::cuda::RowPasses<1u, 1u, 0u, 0u, 0u, false,"
            " fusewise::cuda::NoPass, fusewise::ops::loss::ForwardRows, fusewise::cuda::NoPass>,"
            " fusewise::cuda::FloatVectorized<float> >"
            "(fusewise::cuda::Arguments<fusewise::cuda::RowPasses<1u> >)",
            "row",
            "Forward",
            "fusewise::cuda::FloatVectorized<float>",
        ),
        (
            "void fusewise::cuda::relative_totals_kernel<fusewise::ops::loss::ForwardTotals1,"
            " fusewise::cuda::FloatVectorized<float>, fusewise::cuda::Phase<fusewise::ops::loss::"
            "ForwardTotals0, 1u, 0u, 0, fusewise::cuda::NoPass>, fusewise::cuda::Phase<fusewise::"
            "ops::loss::ForwardTotals1, 0u, 0u, 0, fusewise::ops::loss::ForwardRescale>, 2>"
            "(fusewise::cuda::Arguments<fusewise::ops::loss::ForwardTotals1, float>)",
            "relative_totals",
            "ForwardTotals1",
            "fusewise::cuda::FloatVectorized<float>",
        ),
        ("finalize(int)", "finalize", "", ""),
    ],
)
def test_the_name_of_a_kernel(name: str, form: str, op_pass: str, vector: str) -> None:
    assert template_of(name) == (form, op_pass, vector)


def test_the_limit_is_that_of_a_variant() -> None:
    passes = [f"act{n}_{name}" for n in (1, 2) for name in ("forward", "double_backward")]
    kernels = tuple(replace(GOOD, op_pass=name) for name in passes)
    assert Op("gate", 1.0, 2 * SIZE_LIMIT, kernels).failures == []
    assert Op("gate", 1.0, 2 * SIZE_LIMIT + 4096, kernels).failures == [
        "gate: a variant adds 302 KiB, at most 300 KiB are good"
    ]
    assert Op("gate", 1.0, SIZE_LIMIT, kernels[:2]).variants == 1


def test_phases_of_a_pass_are_no_variants() -> None:
    phases = ("totals0", "totals11", "rows", "elements")
    passes = [f"{name}_{phase}" for name in ("forward", "double_backward") for phase in phases]
    kernels = tuple(replace(GOOD, op_pass=name) for name in passes)
    assert Op("norm", 1.0, SIZE_LIMIT, kernels).variants == 1


def test_tables() -> None:
    small = Op("small", 2.0, 1024, (GOOD,))
    results = Results("90", "nvcc 13.0", (small, Op("large", 1.0, 2048, (GOOD, REDUCING))))
    assert results.worst == (
        "At most 64 registers (large: backward reduction Vectorized<half>), 8 bytes spilled"
        " (large: backward reduction Vectorized<half>), 2 KiB added by a variant (large),"
        " 2.0 s of CPU time to compile one (small)."
    )
    rows = [re.split(r" *\| *", line.strip("| ")) for line in str(results).splitlines()]
    assert ["large", "1", "2", "64", "8", "38912", "2", "1.0"] in rows
    assert "\n## large: 2 kernels, adds 2 KiB, 38 KiB of code, 1.0 s\n" in str(results)
    last = ["backward", "reduction", "Vectorized\\<half>", "64", "16", "8/100", "9216", "30720"]
    assert rows[-1] == last
    assert "nothing spilled" in replace(results, ops=(small,)).worst
