"""The table that benchmarks/limits.py makes from counters of Nsight Compute. It needs no GPU."""

from __future__ import annotations

from types import ModuleType

import limits
import pytest
from fusewise.language.spec import parse_spec
from fusewise.measure.bench.actions import Contender
from fusewise.measure.bench.cases import Setting, cases_of

RUNS = """\
==PROF== Connected to process 1
{"op": "torch.neg", "shape": [1000], "dtype": "float32", "direction": "forward", "bytes": 8000}
{"op": "gate", "shape": [4, 100], "dtype": "float32", "direction": "backward", "bytes": 4000}
==PROF== Profiling "spin_kernel": 0%....100% - 1 pass
"""
SPEC = """\
op: gate
inputs: {x: tensor, y: tensor}
outputs: {out: x * y}
shapes:
  - {x: [64, 32], y: [32]}
  - {x: [8, 4], y: [8, 4]}
"""
COUNTS = """\
"ID","Kernel Name","dram__bytes.sum","gpu__time_duration.sum","smsp__cycles_elapsed.sum",\
"smsp__inst_executed.sum"
"","","byte","ns","cycle","inst"
"0","spin_kernel(long)","0","1","1","1"
"1","neg_kernel","8,000","2,000","10,000","100"
"2","spin_kernel(long)","0","1","1","1"
"3","reduction_kernel<Gate>","4,400","3,000","20,000","4,900"
"4","finalize_kernel","600","1,000","5,000","100"
"""


def test_kernels_between_two_marks_are_one_pass() -> None:
    header, _, neg, gate = limits.table(RUNS + COUNTS).splitlines()
    assert header == f"| {' | '.join(limits.HEADER)} |"
    # 8000 bytes in 2 us; 100 of 10,000 issue slots were used, which takes 20 ns
    assert neg == (
        "| torch.neg | 1000 | float32 | forward | 2.0 | 0.00 | 8.0 | 1.00 | 3.2 | 1% | 0.0 | 2.0 |"
    )
    assert gate == (
        "| gate | 4x100 | float32 | backward | 4.0 | 0.00 | 10.0 | 1.25 | 400.0 | 20% | 0.8 | 1.0 |"
    )


def test_a_pass_that_was_not_counted_is_missed() -> None:
    with pytest.raises(ValueError, match=r"^2 passes were run, and 1 were counted$"):
        limits.table(RUNS + COUNTS.replace("spin_kernel", "another", 1).replace('"1",', '"",'))


def test_the_passes_are_those_of_the_benchmark() -> None:
    spec = parse_spec(SPEC)
    cases = cases_of([spec])
    assert [dict(case.shapes)["x"] for case in cases] == [(64, 32), (8, 4)]
    module = ModuleType("gates")
    vars(module)["gate"] = lambda x, y: x * y
    actions = Contender(cases[0], module.gate, Setting("cpu", "float32", 1, 1, ())).actions()
    assert list(actions) == ["forward", "backward", "step"]
