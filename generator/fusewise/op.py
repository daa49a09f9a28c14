"""Ops from Python functions: `fusewise.op` reads a function's source as a spec and loads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, overload

from fusewise.load import Op, load_specs


@overload
def op(function: Callable[..., Any], /) -> Op: ...
@overload
def op(
    function: None = None,
    /,
    *,
    backward: Mapping[str, str] | None = None,
    save: Sequence[str] | None = None,
    reduce: int | Sequence[int] | str | None = None,
    test: Mapping[str, Any] | None = None,
    shapes: Sequence[Mapping[str, Sequence[int]]] | None = None,
) -> Callable[[Callable[..., Any]], Op]: ...
def op(
    function: Callable[..., Any] | None = None,
    /,
    *,
    backward: Mapping[str, str] | None = None,
    save: Sequence[str] | None = None,
    reduce: int | Sequence[int] | str | None = None,
    test: Mapping[str, Any] | None = None,
    shapes: Sequence[Mapping[str, Sequence[int]]] | None = None,
) -> Any:
    """Builds an op from a Python function, whose source is read as a spec and never run.

    Args:
        function: its arguments are inputs and params, its assignments are steps, and it returns
            the outputs.
        backward, save, reduce, test, shapes: the sections of a spec of these names, as Python
            values.

    As with `fusewise.load`, the op is built at once, or loaded from the cache.

    >>> @fusewise.op
    ... def swish(x, *, beta: float = 1.0):
    ...     return x * sigmoid(beta * x)
    >>> swish(torch.randn(5), beta=1.7)

    Raises:
        SpecError: the function is no op; the message shows where, with a caret.
        BuildError: there is no compiler, it failed, or the cache cannot be written.
        TypeError: it is no function that `def` defines.
    """
    sections = {
        "reduce": reduce,
        "backward": backward,
        "save": save,
        "test": test,
        "shapes": shapes,
    }

    def build(function: Callable[..., Any]) -> Op:
        if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
            raise TypeError(f"fusewise.op takes a function that 'def' defines, not {function!r}")
        from fusewise.language.python import read_function

        document, path = read_function(function, sections)
        return getattr(load_specs({path: document}), function.__name__)

    return build if function is None else build(function)
