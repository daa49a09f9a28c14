"""Samples from the domains of the functions, and all functions compiled as C++."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from fusewise.language.formula import Call, Expr, Name, Number, substitute
from fusewise.language.functions import ROWS as TABLE
from fusewise.language.functions import Function

INCLUDE = Path(__file__).parents[2] / "runtime"
ROWS = list(TABLE.values())
DIFFERENTIABLE = [row for row in ROWS if any(row.derivatives)]

FUNCTION = """
template <class T>
RT_FN {result} {name}({params}) {{
  return {formula};
}}
"""

LOOP = """
extern "C" KERNEL void {name}_{type}(const {type}* in, {type}* out, int64_t n) {{
  for (int64_t i = 0; i < n; ++i) out[i] = {type}(row::{name}<{type}>({args}));
}}
"""

HEADER = """#include <fusewise/math/math.h>
#ifdef __CUDACC__
#define KERNEL __global__
#else
#define KERNEL
#endif
namespace rt = fusewise::rt;
"""


def by_name(row: Function) -> str:
    return row.name


def points(row: Function, count: int, seed: int = 0) -> Iterator[tuple[float, ...]]:
    """Uniform points of a row's domain; with one argument, also 0 if negative ones are allowed."""
    generator = torch.Generator().manual_seed(seed)
    draws = torch.rand(count, len(row.params), generator=generator, dtype=torch.float64)
    if len(row.params) == 1 and row.domain[0][0] < 0:
        yield (0.0,)
    for draw in draws.tolist():
        yield tuple(
            float(low) + (float(high) - float(low)) * u
            for u, (low, high) in zip(draw, row.domain, strict=True)
        )


def cpp(expr: Expr) -> str:
    if isinstance(expr, Number):
        return f"T({float(expr.value)!r})"
    if isinstance(expr, Name):
        return {"inf": "T(INFINITY)", "nan": "T(NAN)"}.get(expr.id, expr.id)
    args = [cpp(arg) for arg in expr.args]
    row = TABLE.get(expr.function)
    if row and row.symbol:
        return (
            f"({args[0]} {row.symbol} {args[1]})" if len(args) == 2 else f"({row.symbol}{args[0]})"
        )
    if row and row.body:
        args += [cpp(default) for default in row.defaults[len(row.params) - len(args) - 1 :]]
        return f"{row.name}<T>({', '.join(args[: len(row.params)])})"
    return f"rt::{expr.function}({', '.join(args)})"


def cpp_function(name: str, row: Function, formula: Expr, uses_out: bool = False) -> str:
    kind = "rt::Mask<T>" if row.name.startswith("logical") else "T"
    params = ", ".join(f"[[maybe_unused]] {kind} {param}" for param in row.params)
    result = "rt::Mask<T>" if row.result == "bool" else "T"
    if uses_out:
        formula = substitute(formula, {"out": Call(row.name, tuple(map(Name, row.params)))})
    return FUNCTION.format(result=result, name=name, params=params, formula=cpp(formula))


def source() -> str:
    """C++ source with each row and derivative as a function of arrays, for each type it accepts."""
    declarations, functions, loops = [], [], []
    for row in ROWS:
        call = Call(row.name, tuple(map(Name, row.params)))
        body = cpp_function(row.name, row, row.body or call)
        functions.append(body)
        if row.body:
            declarations.append(body[: body.index(" {")] + ";")
        names = [row.name]
        if row.shared:
            names.append(f"{row.name}_shared")
            functions.append(cpp_function(names[-1], row, row.shared))
        for index, derivative in enumerate(row.derivatives):
            if derivative is not None:
                names.append(f"{row.name}_d{index}")
                functions.append(cpp_function(names[-1], row, derivative, uses_out=True))
        zero = " != 0" if row.name.startswith("logical") else ""
        args = ", ".join(f"in[{k} * n + i]{zero}" for k in range(len(row.params)))
        for name in names:
            types = ["float", "double"] + ["int64_t"] * (row.integer and name == row.name)
            loops += [LOOP.format(name=name, type=kind, args=args) for kind in types]
    parts = [HEADER, "namespace row {", *declarations, *functions, "}  // namespace row", *loops]
    return "\n".join(parts)


class Library:
    """The compiled rows."""

    TYPES: Mapping[torch.dtype, str] = {
        torch.float32: "float",
        torch.float64: "double",
        torch.int64: "int64_t",
    }

    def __init__(self, path: Path) -> None:
        self.handle = ctypes.CDLL(str(path))

    def values(self, name: str, args: torch.Tensor) -> torch.Tensor:
        """The value of a function for each column of `args`, in their dtype."""
        args = args.contiguous()
        out = torch.empty_like(args[0])
        function = self.handle[f"{name}_{self.TYPES[args.dtype]}"]
        function(*map(ctypes.c_void_p, (args.data_ptr(), out.data_ptr())), ctypes.c_int64(len(out)))
        return out


def compile_with(*command: str, folder: Path) -> None:
    line = [*command, f"-I{INCLUDE}"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
