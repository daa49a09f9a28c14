"""Device time of the ops on a GPU, as a share of what a plain copy of as many bytes would take.

Every op whose spec has a `bench` section runs at the shapes named there, forward and backward,
beside its eager reference and torch.compile of that, with default options and with max-autotune.
The bytes are those that the op has to move: in the forward pass its inputs and outputs, in the
backward pass what it keeps, the incoming gradients and those that it writes. Shapes whose bytes fit
the GPU's cache are left out: there a share of its memory's bandwidth means nothing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import fusewise_ops
import measure
import torch
import torch._functorch.config as functorch_config
from fusewise.pipeline import compile_spec
from fusewise.spec import Param, Spec, load_spec
from fusewise.tree import spec_files
from torch import Tensor
from torch.profiler import ProfilerActivity, profile

CALLS = 10  # in a measurement
COPY_BYTES = 2**29
COMPILED = {
    "compile": {},
    "max-autotune": {"mode": "max-autotune-no-cudagraphs"},
}


@dataclass(frozen=True, slots=True)
class Case:
    """An op at one choice of shapes."""

    spec: Spec
    tensors: dict[str, Tensor]
    params: dict[str, Any]

    @property
    def label(self) -> str:
        shapes = (f"{n}[{'x'.join(map(str, t.shape))}]" for n, t in self.tensors.items())
        return f"{self.spec.name} {' '.join(shapes)}"

    @property
    def leaves(self) -> list[Tensor]:
        return [tensor for tensor in self.tensors.values() if tensor.requires_grad]

    def call(self, function: Callable[..., Any]) -> list[Tensor]:
        found = function(**self.tensors, **self.params)
        return [found] if isinstance(found, Tensor) else list(found)


def main() -> None:
    parser = measure.parser(__doc__, rounds=5)
    parser.add_argument("ops", nargs="*", help="all of those with a bench section if none is named")
    dtypes = ("bfloat16", "float16", "float32")
    parser.add_argument("--dtype", choices=dtypes, default="bfloat16")
    options = parser.parse_args()
    if not torch.cuda.is_available() or options.device != "cuda":
        sys.exit("device time is taken on a GPU; `fusewise bench` and lltm.py run on a CPU as well")
    # a backward pass is timed many times over one forward pass
    functorch_config.donated_buffer = False
    torch.manual_seed(0)
    dtype = getattr(torch, options.dtype)

    copy = _copy_bandwidth(options.rounds)
    print(f"{options.dtype}, device time: {measure.headline('cuda')}")
    print(f"a copy moves {copy:.0f} GB/s: 100 %")
    cache = torch.cuda.get_device_properties().L2_cache_size
    records: list[dict[str, Any]] = []
    for case in _cases(options.ops, dtype):
        moved = _bytes(case)
        if moved["forward"] < 2 * cache:
            print(f"\n{case.label}: left out, fits the cache")
            continue
        records += _report(case, _times(case, options.rounds), moved, copy)
        torch.compiler.reset()
        torch.cuda.empty_cache()
    numbers = {"dtype": options.dtype, "copy_gb_per_s": copy, "rows": records}
    measure.write(options.output, "cuda", numbers)


def _report(
    case: Case, times: dict[str, dict[str, float]], moved: dict[str, int], copy: float
) -> list[dict[str, Any]]:
    """Prints a table, and returns its numbers as records."""
    records, rows = [], []
    for name, found in times.items():
        cells = [name]
        for direction, us in found.items():
            # no time: eager passes a gradient on as it is
            share = moved[direction] / us / 1e3 / copy if us else None
            cells += [f"{us:.1f} us", "-" if share is None else f"{share:.1%}"]
            record = {"case": case.label, "pass": direction, "as": name, "us": us}
            records.append({**record, "of_copy": share})
        rows.append(cells)
    directions = next(iter(times.values()))
    header = ("", *(cell for direction in directions for cell in (direction, "of copy")))
    print(f"\n{case.label}")
    print(measure.table(header, rows))
    return records


def _cases(ops: Sequence[str], dtype: torch.dtype) -> Iterator[Case]:
    for path in spec_files(measure.ROOT / "specs"):
        spec = load_spec(path)
        if spec.compose or (ops and spec.name not in ops):
            continue
        params = {param.name: _value(param) for param in spec.params}
        for shapes in spec.bench:
            kinds = {item.name: item.dtype for item in spec.inputs}
            tensors = {name: _draw(shape, kinds[name], dtype) for name, shape in shapes}
            yield Case(spec, tensors, params)


def _value(param: Param) -> float | int | bool:
    kind = {"float": float, "int": int, "bool": bool}[param.type]
    return kind(1 if param.default is None else param.default)


def _draw(shape: Sequence[int], kind: str, dtype: torch.dtype) -> Tensor:
    if kind == "bool":
        return torch.rand(shape, device="cuda") < 0.5
    if kind == "int":
        return torch.randint(1, 10, shape, device="cuda")
    return torch.randn(shape, device="cuda", dtype=dtype).requires_grad_()


def _bytes(case: Case) -> dict[str, int]:
    """What each pass must read and write at least."""
    outputs = case.call(getattr(fusewise_ops, case.spec.name))
    names = (output.name for output in case.spec.outputs)
    sizes = {name: tensor.nbytes for name, tensor in case.tensors.items()}
    sizes |= {name: tensor.nbytes for name, tensor in zip(names, outputs, strict=True)}
    sizes |= {f"grad_{name}": size for name, size in sizes.items()}
    return {
        each.name: sum(sizes.get(tensor.name, 0) for tensor in (*each.reads, *each.writes))
        for each in compile_spec(case.spec).variants[0].passes[:2]
    }


def _times(case: Case, rounds: int) -> dict[str, dict[str, float]]:
    """Microseconds of device time: by contender, then by direction."""
    reference = _reference(case)
    functions: dict[str, Callable[..., Any] | None] = {
        "fusewise": getattr(fusewise_ops, case.spec.name),
        "eager": reference,
    }
    for name, options in COMPILED.items():
        functions[name] = measure.compiled(
            reference, lambda made: _backward(case, made)(), dynamic=False, **options
        )
    actions: dict[tuple[str, str], measure.Action] = {}
    for name, function in functions.items():
        if function is not None:
            actions[name, "forward"] = _forward(case, function)
            if case.leaves:
                actions[name, "backward"] = _backward(case, function)
    samples = {
        f"{name} {direction}": _sample(action) for (name, direction), action in actions.items()
    }
    times = measure.interleaved(samples, rounds)
    found: dict[str, dict[str, float]] = {}
    for name, direction in actions:
        found.setdefault(name, {})[direction] = times[f"{name} {direction}"][0]
    return found


def _reference(case: Case) -> Callable[..., Any]:
    """The spec's reference as a function, else the op's formula in ATen calls."""
    spec = case.spec
    if spec.test.reference is None:
        return getattr(torch.ops.fusewise, spec.name).composite
    absent = {item.name: item.default for item in spec.inputs if item.name not in case.tensors}
    defaults = (f"{name}={float(number.value)}" for name, number in absent.items() if number)
    names = ", ".join([*case.tensors, *case.params, *defaults])
    # not the user's text: the spec's reader has parsed, checked and printed it
    return eval(f"lambda {names}: {spec.test.reference}", {"torch": torch})


def _forward(case: Case, function: Callable[..., Any]) -> measure.Action:
    def forward() -> None:
        with torch.no_grad():
            case.call(function)

    return forward


def _backward(case: Case, function: Callable[..., Any]) -> measure.Action:
    outputs = [output for output in case.call(function) if output.requires_grad]
    grads = [torch.randn_like(output) for output in outputs]
    return lambda: torch.autograd.grad(
        outputs, case.leaves, grads, retain_graph=True, allow_unused=True
    )


def _copy_bandwidth(rounds: int) -> float:
    """GB/s, read and written, of a copy that no cache holds."""
    source = torch.empty(COPY_BYTES, dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    times = measure.interleaved({"copy": _sample(lambda: target.copy_(source))}, rounds)
    return 2 * COPY_BYTES / times["copy"][0] / 1e3


def _sample(action: measure.Action) -> Callable[[], tuple[float]]:
    """Measures the time of all kernels of a call, summed: a gap between two of them is the host's,
    and a pair of events around a backward pass would count it.
    """

    def sample() -> tuple[float]:
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
            for _ in range(CALLS):
                action()
            torch.cuda.synchronize()
        total = math.fsum(
            event.device_time
            for event in profiler.events() or ()
            if event.device_type.name == "CUDA" and not event.is_user_annotation
        )
        return (total / CALLS,)

    return sample


if __name__ == "__main__":
    main()
