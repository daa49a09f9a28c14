"""Resources of CUDA kernels: the output of ptxas, and the limits."""

from __future__ import annotations

import json
from dataclasses import replace

from fusewise.measure.resources import REDUCE_SPILL_LIMIT, SIZE_LIMIT, Kernel, Op, Results

GOOD = Kernel("backward", "elementwise", "Packed<half>, 1", 32, 0, 0, 0, 0, 8192)
REDUCING = Kernel(
    "backward", "reduce", "Packed<half>", 64, 16, REDUCE_SPILL_LIMIT, 100, 9216, 30720
)


def test_what_fails() -> None:
    spilling = replace(GOOD, spill_stores=8)
    reducing = replace(REDUCING, spill_stores=REDUCE_SPILL_LIMIT + 4)
    assert Op("gate", 1.0, SIZE_LIMIT, (GOOD, REDUCING)).failures == []
    assert Op("gate", 1.0, SIZE_LIMIT + 1024, (spilling, reducing)).failures == [
        "gate: backward elementwise Packed<half>, 1: 8 bytes spilled, none are good",
        "gate: backward reduce Packed<half>: 12 bytes spilled, at most 8 are good",
        "gate: a variant adds 301 KiB, at most 300 KiB are good",
    ]


def test_the_limit_is_that_of_a_variant() -> None:
    passes = [f"act{n}_{name}" for n in (1, 2) for name in ("forward", "double_backward")]
    kernels = tuple(replace(GOOD, op_pass=name) for name in passes)
    assert Op("gate", 1.0, 2 * SIZE_LIMIT, kernels).failures == []
    assert Op("gate", 1.0, 2 * SIZE_LIMIT + 4096, kernels).failures == [
        "gate: a variant adds 302 KiB, at most 300 KiB are good"
    ]
    assert Op("gate", 1.0, SIZE_LIMIT, kernels[:2]).variants == 1


def test_tables() -> None:
    small = Op("small", 2.0, 1024, (GOOD,))
    results = Results("90", "nvcc 13.0", (small, Op("large", 1.0, 2048, (GOOD, REDUCING))))
    assert results.worst == (
        "At most 64 registers (large: backward reduce Packed<half>), 8 bytes spilled"
        " (large: backward reduce Packed<half>), 2 KiB added by a variant (large),"
        " 2.0 s of CPU time to compile one (small)."
    )
    page = results.markdown().splitlines()
    assert "| large | 1 | 2 | 64 | 8 | 38912 | 2 | 1.0 |" in page
    assert "## large: 2 kernels, adds 2 KiB, 38 KiB of code, 1.0 s" in page
    assert page[-1] == "| backward | reduce | Packed\\<half> | 64 | 16 | 8/100 | 9216 | 30720 |"
    assert "│ backward │ elementwise │ Packed<half>, 1 │" in str(results)
    assert str(results).endswith(f"sm_90, nvcc 13.0. {results.worst}\n")
    assert "nothing spilled" in replace(results, ops=(small,)).worst
    assert json.loads(results.json())["ops"][1]["kernels"][1]["registers"] == 64
