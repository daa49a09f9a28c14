"""The sample ops in tests/torch/ops, with references in PyTorch and sample arguments.

They are written by hand in the form of generated ops. The fixture `sample_ops` builds them.
"""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from filelock import FileLock
from fusewise.build.steps import WITH_AUTOGRAD
from fusewise.build.tree import write_text
from measure import ROOT, load_file
from torch import Tensor

BUILD = ROOT / "build" / "test_runtime"
TORCH = Path(torch.__file__).parent
OPS = torch.ops.fusewise_test

# The argument of `register_pass` for each op.
VMAP: dict[str, tuple[int | None, ...]] = {
    "swiglu": (None,),
    "swiglu_backward": (1, 2),
    "swiglu_double_backward": (2, 3, 4),
    "bias_gelu": (None,),
    "bias_gelu_backward": (1, 2),
    "bias_gelu_double_backward": (2, 3, 4),
    "gated_add": (None,),
    "gated_add_backward": (1, 2, 3, 4),
    "gated_add_double_backward": (4,),
    "lltm_cell": (None, None),
    "lltm_cell_backward": (2, 4),
    "lltm_cell_double_backward": (2, 3, 4, 5),
    "weigh": (None, None),
    "weigh_backward": (1,),
    "weigh_double_backward": (1, 2),
    "quantise": (None,) * 4,
    "quantise_backward": (2, 3),
    "quantise_scale": (None,),
    "dequantise": (None,),
    "row_scale": (None, None),
    "row_scale_backward": (2, 3),
    "row_scale_double_backward": (2, 3, 4, 5),
    "row_total": (None,),
    "row_total_backward": (1, 2),
    "row_total_double_backward": (2,),
    "row_twice": (None, None),
    "row_twice_backward": (2, 3),
    "row_twice_double_backward": (2, 3),
    "row_pick": (None, None),
    "row_pick_backward": (2,),
}
# Its `rows`, for ops that reduce.
ROWS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "row_scale": ((1,), (1,)),
    "row_scale_backward": ((1, 3), (1,)),
    "row_scale_double_backward": ((1, 3, 5), (1, 3)),
    "row_total": ((1,), (0,)),
    "row_total_backward": ((0, 2), (1,)),
    "row_total_double_backward": ((1, 2), (0,)),
    "row_twice": ((), (0,)),
    "row_twice_backward": ((0,), ()),
    "row_twice_double_backward": ((2,), (0,)),
    "row_pick": ((1,), (0,)),
    "row_pick_backward": ((0, 3), ()),
}

C = ModuleType("_C")  # `load` fills it


def _build() -> Path:
    includes = [
        TORCH / "include",
        TORCH / "include/torch/csrc/api/include",
        sysconfig.get_path("include"),
    ]
    system = " ".join(f"-isystem {path}" for path in includes)
    objects = []
    lines = [
        f"flags = -std=c++20 -O1 -DAT_PER_OPERATOR_HEADERS -fopenmp -fPIC "
        f"-fvisibility=hidden -Wall -Wextra -Werror {system} -I{ROOT}/runtime",
        "rule compile",
        "  command = g++ $flags -MMD -MF $out.d -c $in -o $out",
        "  depfile = $out.d",
        "  deps = gcc",
        "rule link",
        f"  command = g++ -shared -fopenmp $in -o $out -L{TORCH}/lib "
        "-ltorch_python -ltorch_cpu -lc10",
    ]
    BUILD.mkdir(parents=True, exist_ok=True)
    # as in a build of ops, the runtime's files on ATen are one to the compiler, but the largest two
    on_aten = {*(ROOT / "runtime/fusewise/torch").glob("*.cpp")}
    on_aten = {path for path in on_aten if path.name not in WITH_AUTOGRAD}
    joined = BUILD / "torch.cpp"
    sources = {*(ROOT / "runtime").rglob("*.cpp"), *(ROOT / "tests/torch/ops").glob("*.cpp")}
    for source in sorted(sources - on_aten | {joined}):
        objects.append(f"{source.stem}.o")
        lines.append(f"build {objects[-1]}: compile {source}")
    lines.append(f"build _C.so: link {' '.join(objects)}")
    with FileLock(BUILD / "lock"):  # pytest-xdist starts several processes
        write_text(joined, "".join(f'#include "{path}"\n' for path in sorted(on_aten)))
        (BUILD / "build.ninja").write_text("\n".join(lines) + "\n")
        command = ["ninja", "-j2"]
        done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    return BUILD / "_C.so"


runtime = load_file(ROOT / "runtime/python/_runtime.py", "_runtime")


def load() -> None:
    """Builds the sample ops, and adds them to `C`."""
    vars(C).update(vars(load_file(_build(), "_C")))
    runtime.declare_ops("swiglu", "lltm_cell", "bias_gelu")
    for name, shapes in VMAP.items():
        rows = runtime.Rows(*ROWS[name]) if name in ROWS else None
        runtime.register_pass(f"fusewise_test::{name}", shapes, rows)


def sample(name: str) -> Callable[..., Any]:
    """A function that calls a sample op; it finds the op at the call, after `load`."""

    def op(*args: Any, **params: Any) -> Any:
        return getattr(C, name)(*args, **params)

    op.__name__ = name
    return op


def swiglu(x: Tensor, y: Tensor) -> Tensor:
    return torch.nn.functional.silu(x) * y


def bias_gelu(x: Tensor, bias: Tensor | None = None, alpha: float = 1.702) -> Tensor:
    u = x if bias is None else x + bias
    return u * torch.sigmoid(alpha * u)


def lltm_cell(gates: Tensor, old_cell: Tensor) -> tuple[Tensor, Tensor]:
    i, o, c = gates.chunk(3, -1)
    new_cell = old_cell + torch.nn.functional.elu(c) * torch.sigmoid(i)
    return torch.tanh(new_cell) * torch.sigmoid(o), new_cell


def gated_add(x: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return x + y + torch.where(x > 0, a + b, 0)


def weigh(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    return x * x * w.detach(), torch.exp(w.detach()).expand_as(x)


def quantise(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The reference in the compute type, with a product that is rounded to the type of x."""
    compute = torch.double if torch.double in (x.dtype, y.dtype) else torch.float
    a, b = x.to(compute), y.to(compute)
    exact = a * b
    product = exact + (exact.to(x.dtype).to(compute) - exact).detach()
    tiny = product.detach().to(torch.float8_e4m3fn)
    return (product + b).float(), product.round().to(torch.int8), tiny, (product * a).to(x.dtype)


def row_scale(x: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    x = torch.broadcast_tensors(x, s.unsqueeze(-1))[0]
    total = x.sum(-1, keepdim=True)
    return x * s.unsqueeze(-1) / total, total.squeeze(-1)


def row_total(x: Tensor, s: Tensor | None = None) -> Tensor:
    if s is None:
        return x.sum(-1)
    x = torch.broadcast_tensors(x, s.unsqueeze(-1))[0]
    return x.sum(-1) + s


def same_bits(ours: Tensor, theirs: Tensor) -> bool:
    assert ours.dtype == theirs.dtype
    kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[ours.itemsize]
    return torch.equal(ours.detach().view(kind), theirs.detach().view(kind))


def randn(*shape: int, dtype: torch.dtype = torch.double, grad: bool = True) -> Tensor:
    return torch.randn(shape, dtype=dtype, requires_grad=grad)


def positive(*shape: int) -> Tensor:
    """For a sum that is far from zero."""
    return torch.rand(shape, dtype=torch.double).add(0.5).requires_grad_()


# (op, reference, function that draws the arguments)
CASES = {
    "swiglu": (sample("swiglu"), swiglu, lambda: (randn(3, 4), randn(4))),
    "swiglu_same": (sample("swiglu"), swiglu, lambda: (randn(3, 4), randn(3, 4))),
    "swiglu_rows": (sample("swiglu"), swiglu, lambda: (randn(3, 1), randn(2, 1, 4))),
    "bias_gelu": (sample("bias_gelu"), bias_gelu, lambda: (randn(3, 4), randn(4))),
    "no_bias": (sample("bias_gelu"), bias_gelu, lambda: (randn(3, 4),)),
    "lltm_cell": (sample("lltm_cell"), lltm_cell, lambda: (randn(3, 12), randn(3, 4))),
    "gated_add": (
        sample("gated_add"),
        gated_add,
        lambda: (randn(3, 1), randn(4), randn(3, 4), randn(3, 4)),
    ),
    "gated_add_rows": (
        sample("gated_add"),
        gated_add,
        lambda: (randn(3, 1), randn(4), randn(2, 1, 1), randn(1)),
    ),
    "gated_add_same": (
        sample("gated_add"),
        gated_add,
        lambda: tuple(randn(3, 4) for _ in range(4)),
    ),
    "lltm_cell_row": (sample("lltm_cell"), lltm_cell, lambda: (randn(3, 12), randn(4))),
    "row_scale": (sample("row_scale"), row_scale, lambda: (positive(3, 4), positive(3))),
    "row_scale_one": (sample("row_scale"), row_scale, lambda: (positive(4), positive())),
    "row_scale_wide": (sample("row_scale"), row_scale, lambda: (positive(2, 1, 4), positive(3))),
    "row_total": (sample("row_total"), row_total, lambda: (randn(3, 4), randn(3))),
    "row_total_wide": (sample("row_total"), row_total, lambda: (randn(3), randn(3))),
}


each_case = pytest.mark.parametrize("case", CASES)


def start(case: str):
    torch.manual_seed(0)
    op, reference, make = CASES[case]
    return op, reference, make()


def total(outputs: Tensor | tuple[Tensor, ...]) -> Tensor:
    outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
    return sum((t * (k + 1)).sin().sum() for k, t in enumerate(outputs))  # type: ignore[return-value]
