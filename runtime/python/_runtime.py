"""The Python side of a generated package: its extension, batching rules, torch.compile."""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import importlib.util
import mmap
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch
from torch import Tensor

_opaque: dict[str, bool] = {}  # for each op, True if it stays one kernel under torch.compile
_passes: list[_Pass] = []  # those that DTensor does not know


def load_extension(package: str) -> ModuleType:
    """Import `package._C`, or raise an ImportError with the reason and what to do.

    An extension of another torch version is refused before it is loaded: it would register its ops
    against the wrong ABI.
    """
    found = importlib.util.find_spec(f"{package}._C")
    if found is None or found.origin is None:
        raise ImportError(f"the extension of {package} is not built; run `fusewise build`")
    version = _torch_built_for(found.origin)
    if version is None:
        raise ImportError(
            f"the extension of {package} does not say which torch it was built for: "
            f"{found.origin} is damaged, or of an older fusewise; build it again with "
            "`fusewise build`"
        )
    built, running = (
        ".".join(v.split("+")[0].split(".")[:2]) for v in (version, torch.__version__)
    )
    if built != running:
        raise ImportError(
            f"the extension of {package} was built for torch {built}, but this is torch "
            f"{torch.__version__}; install torch {built}, or build it again with `fusewise build`"
        )
    try:
        extension = importlib.import_module(f"{package}._C")
    except ImportError as error:
        raise ImportError(
            f"the extension of {package} does not load with torch {torch.__version__}; build it "
            f"again with `fusewise build`. ({error})"
        ) from error
    setattr(extension, "before_subclass", register_shardings)  # noqa: B010
    return extension


def _torch_built_for(path: str) -> str | None:
    """The torch version in the note of an extension's file; None if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # mmap refuses an empty file
        return None
    with content:
        note = re.search(rb"fusewise is built for torch ([\x20-\x7e]+)\0", content)
        return note[1].decode() if note else None


def declare_ops(*ops: str) -> None:
    """Name the ops of the package. All are decomposed under torch.compile at first."""
    _opaque.update(dict.fromkeys(ops, False))


def set_opaque(opaque: bool = True, *ops: str) -> None:
    """Keep ops as one kernel each under torch.compile, or no longer. Without names, all ops.

    By default an op is decomposed into its formula there, and the compiler fuses it with its
    neighbours. The last call that names an op, or that names none, decides for it:

    >>> set_opaque(True)
    >>> set_opaque(False, "swiglu")  # all others stay opaque
    """
    if not isinstance(opaque, bool):
        raise TypeError(f"set_opaque: the first argument is True or False, got {opaque!r}")
    for op in ops:
        if op not in _opaque:
            near = difflib.get_close_matches(op, _opaque, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ValueError(f"set_opaque: there is no op '{op}'{hint}")
    _opaque.update(dict.fromkeys(ops or list(_opaque), opaque))


def call_compiled(
    op: str, packet: Any, /, *inputs: Tensor | None, out: Any = None, **params: float
) -> Any:
    """Call an op while torch.compile captures a graph.

    `packet` is `torch.ops.<library>.<op>`, or that of the chosen variant.
    """
    if _opaque[op]:
        register_shardings()
    form = packet.default if _opaque[op] else packet.decomposition
    params = {name: _param(op, name, value) for name, value in params.items()}
    results = form(*inputs, **params)
    if out is None:
        return results
    # PyTorch captures no custom op with out=. It captures a copy, which is fused with the formula.
    single = isinstance(out, Tensor)
    pairs = [(out, results)] if single else list(zip(out, results, strict=True))
    if all(_fits(tensor, result) for tensor, result in pairs):
        for tensor, result in pairs:
            tensor.copy_(result)
        return out
    outs = {"out": out} if single else {f"out{k}": tensor for k, tensor in enumerate(out)}
    return packet.out(*inputs, **params, **outs)  # raises, or resizes an empty tensor


def _param(op: str, name: str, value: Any) -> Any:
    """A param as a Python number: a tensor or a number of numpy would break the graph."""
    if isinstance(value, float | int):
        return value
    if isinstance(value, Tensor) and value.requires_grad:
        raise TypeError(
            f"{op}(): {name} is a param, which has no gradient, but got a Tensor that requires "
            "one; detach it"
        )
    return value.item() if hasattr(value, "item") else value


def _fits(out: Tensor, result: Tensor) -> bool:
    """True if `out` takes the result without a cast, and autograd records nothing."""
    return (
        out.shape == result.shape
        and out.dtype == result.dtype
        and out.device == result.device
        and not result.requires_grad
    )


def find_variant(op: str, variants: Mapping[Any, str], /, **chosen: object) -> str:
    """The variant for the values of params, which may be 0-dim tensors.

    Raises:
        ValueError: the value of a param is not one of its choices.
    """
    values = tuple(
        value.item() if isinstance(value, Tensor) and _is_number(value) else value
        for value in chosen.values()
    )
    with contextlib.suppress(KeyError, TypeError):  # TypeError: a value has no hash
        return variants[values]
    for place, (name, value) in enumerate(zip(chosen, values, strict=True)):
        choices = sorted({known[place] for known in variants})
        if isinstance(value, Tensor) or value not in choices:
            listed = ", ".join(map(repr, choices))
            raise ValueError(f"{op}: {name} is {value!r}, expected one of {listed}")
    raise AssertionError("every value is a choice")


def _is_number(tensor: Tensor) -> bool:
    return tensor.dim() == 0 and not tensor.requires_grad


class Rows(NamedTuple):
    """The operands of a pass whose shape lacks the last dimension: indices."""

    inputs: Sequence[int] = ()
    outputs: Sequence[int] = ()


class _Pass(NamedTuple):
    op: Any
    like: Sequence[int | None]
    rows: Rows | None


def register_pass(qualified: str, like: Sequence[int | None], rows: Rows | None = None) -> None:
    """Register how torch.func.vmap batches a pass, and how DTensor divides it.

    For each output, `like` is the index of the input whose shape it has; None is a result, which
    broadcasts. `rows` is None unless the pass needs the whole last dimension: it reduces, or a
    tensor is packed.
    """
    library, name = qualified.split("::")
    op = getattr(getattr(torch.ops, library), name).default
    _passes.append(_Pass(op, like, rows))
    torch.library.register_vmap(
        op, lambda *args, **kwargs: _batched(op, like, rows, *args, **kwargs)
    )


def _batched(
    op: Any,
    like: Sequence[int | None],
    rows: Rows | None,
    info: Any,
    in_dims: tuple[Any, ...],
    /,
    *args: Any,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """One call on the batch, whose dimension is moved to the front; the others are aligned."""
    tensors = [(a, d) for a, d in zip(args, in_dims, strict=False) if isinstance(a, Tensor)]
    squeezed = () if rows is None else rows.inputs
    rank = max(
        a.dim() - (d is not None) + (i in squeezed)
        for i, (a, d) in enumerate(zip(args, in_dims, strict=False))
        if isinstance(a, Tensor)
    )
    is_row = rows is not None and rank == 0  # an example without dimensions is a row of one element
    rank = max(rank, int(is_row))
    lined_up = list(args)
    shapes: dict[int, torch.Size] = {}
    gains_rank = False  # a 0-dim example does not promote other dtypes, but its batch does
    for i, (arg, dim) in enumerate(zip(args, in_dims, strict=False)):
        if not isinstance(arg, Tensor):
            continue
        if dim is not None:
            arg = arg.movedim(dim, 0)
        elif i in like:  # a gradient for each example
            arg = arg.expand(info.batch_size, *arg.shape)
        else:
            continue
        shapes[i] = arg.shape
        missing = rank + 1 - arg.dim() - (i in squeezed)
        gains_rank = gains_rank or (arg.dim() == 1 and i not in squeezed)
        lined_up[i] = arg.reshape(arg.shape[:1] + (1,) * missing + arg.shape[1:])
    results = op(*lined_up, **kwargs)
    single = isinstance(results, Tensor)
    outputs = [results] if single else list(results)
    if gains_rank and len({a.dtype for a, _ in tensors}) > 1:
        example = [
            # Its dtype alone is asked for, and the batch may be empty.
            a.new_empty(a.shape[:d] + a.shape[d + 1 :])
            if isinstance(a, Tensor) and d is not None
            else a
            for a, d in zip(args, in_dims, strict=False)
        ]
        one = op(*example, **kwargs)
        models = [one] if single else one
        outputs = [r if r is None else r.to(m.dtype) for r, m in zip(outputs, models, strict=True)]
    out_dims = [None if result is None else 0 for result in outputs]
    for k, i in enumerate(like):
        if outputs[k] is None:
            continue
        if i in shapes:
            outputs[k] = outputs[k].reshape(shapes[i])
        elif is_row and rows is not None and k not in rows.outputs:
            outputs[k] = outputs[k].squeeze(-1)
    return (outputs[0], 0) if single else (tuple(outputs), tuple(out_dims))


def register_shardings() -> None:
    """Register with DTensor how it divides the passes, if its module is loaded.

    The extension calls this before an op whose arguments include a subclass of Tensor. In a graph
    it is called while the graph is captured, and leaves nothing there.
    """
    if not _passes or "torch.distributed.tensor" not in sys.modules:
        return
    from torch.distributed.tensor import DTensor
    from torch.distributed.tensor._op_schema import RuntimeSchemaInfo
    from torch.distributed.tensor.experimental import register_sharding

    facts = DTensor._op_dispatcher.sharding_propagator.op_to_schema_info
    for part in _passes:
        register_sharding(part.op)(functools.partial(_shardings, part.like, part.rows))
        # Which results are None depends on `needs`. DTensor would look at tensors alone when it
        # looks for an equal call before.
        keywords = [a.name for a in part.op._schema.arguments if a.kwarg_only]
        facts[part.op] = RuntimeSchemaInfo(0, keywords or None, needs_pytree=True)
    _passes.clear()


# As torch.compiler.assume_constant_result does, which imports the compiler.
register_shardings._dynamo_marked_constant = True


def _shardings(
    like: Sequence[int | None], rows: Rows | None, /, *args: Any, **params: Any
) -> list[tuple[list[Any], list[Any]]]:
    """The placements of outputs and of inputs with which one mesh dimension may run a pass.

    All tensors are whole, or one dimension of the loop is divided. A gradient is then a part of a
    sum, unless its model is divided too. An output that is not needed has no placement.
    """
    from torch.distributed.tensor import Partial, Replicate, Shard

    by_place = [arg for arg in args if isinstance(arg, list | tuple)]  # where it has no params
    needs = params.get("needs") or (by_place[0] if by_place else (True,) * len(like))
    lacking = () if rows is None else rows.inputs
    # for each tensor, the dimensions of the loop that it has, from the first
    tensors = {i: a for i, a in enumerate(args) if hasattr(a, "tensor_meta")}
    ranks = {i: tensor.ndim + (i in lacking) for i, tensor in tensors.items()}
    rank = max(ranks.values())
    whole = [Replicate() if i in tensors else None for i in range(len(args))]
    results: list[Any] = [Replicate() if needed else None for needed in needs]
    found = [(results, whole)]
    for dim in range(rank - (rows is not None)):
        places = {i: dim - rank + ranks[i] for i in tensors if dim - rank + ranks[i] >= 0}
        sizes = [tensors[i].shape[d] for i, d in places.items()]
        size = next((size for size in sizes if size != 1), 1)
        divided = list(whole)
        for i, place in places.items():
            if tensors[i].shape[place] == size:
                divided[i] = Shard(place)
        outputs: list[Any] = [None] * len(like)
        for k, i in enumerate(like):
            if not needs[k]:
                continue
            if i not in tensors:  # a result, or a gradient of which no model is given
                outputs[k] = Shard(dim)
            else:
                outputs[k] = divided[i] if isinstance(divided[i], Shard) else Partial()
        found.append((outputs, divided))
    return found
