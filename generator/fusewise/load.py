"""Ops at run time: `fusewise.load` turns specs into a module, built once and cached."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, SupportsIndex

from fusewise.build.cache import LOADED, tool_key
from fusewise.build.cache import cache_dir as find_cache
from fusewise.build.contents import content_key
from fusewise.build.extension import SUFFIX, build_extension
from fusewise.build.hints import NOT_WRITABLE, cache_hint
from fusewise.build.ninja import BuildError, Report, locked
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import write_text
from fusewise.generate import read_texts, render_specs, spec_files

if TYPE_CHECKING:
    from fusewise.language.document import Table

Spec = str | os.PathLike[str]
# One thread at a time: another one would see a module whose import has not ended.
_ONE_LOAD = threading.RLock()


def load(
    spec: Spec | Sequence[Spec],
    *,
    name: str | None = None,
    verbose: bool = False,
    cache_dir: str | os.PathLike[str] | None = None,
) -> ModuleType:
    """Builds ops from specs and returns a module that has them as attributes.

    Args:
        spec: the path of a spec (.yaml or .yml), a folder of them, the YAML text of one itself, or
            a list of such.
        name: a word for the module's name, which ends in a hash of the content in any case.
        verbose: say each step on standard output, rather than the progress on standard error.
        cache_dir: where builds are kept; else FUSEWISE_CACHE_DIR, else the user's cache folder.

    The same specs are built once and loaded at once from then on; a spec that changed gives a new
    module with a dispatcher namespace of its own, in the same process too. Kernels are compiled
    for the processor and the GPUs of this machine alone. The ops can be pickled, and so can the
    instances of the classes of sections `module`.

    >>> ops = fusewise.load("swiglu.yaml")
    >>> ops.swiglu(x, y).sum().backward()

    Raises:
        SpecError: a spec is wrong, or cannot be read; the message shows where, with a caret.
        BuildError: there is no compiler, it failed, or the cache cannot be written.
        FileNotFoundError: there is no such file, or no spec in a folder.
        ValueError: no specs are given, or `name` has other characters than those of a name.
    """
    return load_specs(_read(spec), name, verbose=verbose, cache_dir=cache_dir)


def load_specs(
    specs: Mapping[str, str | Table],
    name: str | None = None,
    *,
    verbose: bool = False,
    cache_dir: str | os.PathLike[str] | None = None,
) -> ModuleType:
    """As `load`, of texts or trees of specs by the path that messages show.

    Raises:
        SpecError, BuildError, ValueError: as `load`.
    """
    say = print if verbose else _silent
    texts = {path: _text(spec) for path, spec in specs.items()}
    toolchain = Toolchain.find_native()
    key = tool_key(toolchain)
    content = content_key(key.encode(), *map(str.encode, sorted(texts.values())))
    package = f"{name or 'fusewise_ops'}_{content}"
    if not package.isidentifier():
        raise ValueError(f"name is {name!r}: expected letters, digits and underscores")
    with _ONE_LOAD:
        if package in sys.modules:
            say(f"fusewise: {package} is loaded already")
            return sys.modules[package]
        cache = find_cache(cache_dir)
        root = cache / LOADED / key / package
        target = root / package / f"_C{SUFFIX}"
        if target.exists():
            say(f"fusewise: {package} is built already, in {root}")
        else:
            say(f"fusewise: {toolchain}")
            say(f"fusewise: generating {', '.join(texts)} in {root}")
            files = render_specs(specs, package)
            with _Progress(say if verbose else None) as progress, _writable(cache):
                _build(files, package, target, cache, toolchain, progress.step)
        say(f"fusewise: loading {package}")
        module = _import_package(package, root / package)
        for exported in module.__all__:
            value = getattr(module, exported)
            if value.__module__ != package:
                continue
            if isinstance(value, FunctionType):  # an op
                setattr(module, exported, Op.of(value, texts, name))
            elif isinstance(value, type):  # a class of torch.nn.Module
                _pickle_by_specs(value, texts, name)
        return module


class Op(functools.partial):  # in C, so that a call takes hardly longer than the function's
    """An op of a loaded module: its Python function, which can be pickled.

    A pickle holds the texts of all specs of the module, and the reader loads them again. A copy of
    an op is the op itself, as for functions.
    """

    _specs: Mapping[str, str]
    _name: str | None

    @classmethod
    def of(cls, function: Callable[..., Any], specs: Mapping[str, str], name: str | None) -> Op:
        op = cls(function)
        functools.update_wrapper(op, function)
        op._specs, op._name = specs, name
        return op

    def __repr__(self) -> str:  # the first line of its help
        signature = inspect.signature(self.func)
        plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        return f"<op {self.func.__name__}{inspect.Signature(plain)}>"

    def __reduce__(self) -> tuple[Callable[..., Op], tuple[object, ...]]:
        return _load_op, (self.func.__name__, self._specs, self._name)

    def __deepcopy__(self, memo: object) -> Op:
        return self


def _load_op(op: str, specs: Mapping[str, str], name: str | None) -> Op:
    return getattr(load_specs(specs, name), op)


class _New:
    """Makes an empty instance of a class of a loaded module, which gets its state afterwards.

    A pickle of an instance holds this object in place of the class, whose name tells another
    process nothing.
    """

    def __init__(self, cls: type, specs: Mapping[str, str], name: str | None) -> None:
        self._cls, self._specs, self._name = cls, specs, name

    def __call__(self) -> object:
        return object.__new__(self._cls)

    def __reduce__(self) -> tuple[Callable[..., _New], tuple[object, ...]]:
        return _load_new, (self._cls.__name__, self._specs, self._name)


def _load_new(cls: str, specs: Mapping[str, str], name: str | None) -> _New:
    return _New(getattr(load_specs(specs, name), cls), specs, name)


def _pickle_by_specs(cls: Any, specs: Mapping[str, str], name: str | None) -> None:
    """Lets the instances of a class be pickled, as `Op` does ops."""
    new = _New(cls, specs, name)

    def reduce(self: object, protocol: SupportsIndex) -> tuple[Any, ...]:
        reduced: Any = super(cls, self).__reduce_ex__(protocol)
        return (new, (), *reduced[2:]) if type(self) is cls else reduced

    cls.__reduce_ex__ = reduce


@contextlib.contextmanager
def _writable(cache: Path) -> Iterator[None]:
    """Says what to do if the cache cannot be written.

    Raises:
        BuildError: it cannot.
    """
    try:
        yield
    except OSError as error:
        place = Path(error.filename or cache)
        of_cache = place.is_relative_to(cache) or cache.is_relative_to(place)
        if error.errno not in NOT_WRITABLE or not of_cache:
            raise
        message = f"cannot write to the cache {cache}: {error.strerror}"
        raise BuildError(message, cache_hint(error)) from error


def _build(
    files: Mapping[str, str],
    package: str,
    target: Path,
    cache: Path,
    toolchain: Toolchain,
    report: Report,
) -> None:
    root = target.parents[1]
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)  # its code runs as this user
    with locked(cache / LOADED, report, shared=True):  # `fusewise clean` waits
        for path, text in files.items():
            write_text(root / path, text)
        csrc = root / "csrc"
        build_extension(package, csrc, target, work=cache, toolchain=toolchain, report=report)


class _Progress:
    """What a user sees while ops are built.

    These are lines by `say`, one output of a notebook's cell, one line of a terminal, or lines of
    standard error.
    """

    def __init__(self, say: Callable[[str], None] | None) -> None:
        self._cell = None
        if not say and "ipykernel" in sys.modules:
            from IPython.display import DisplayHandle  # pyright: ignore[reportMissingImports]

            self._cell = DisplayHandle()
            self._cell.display({"text/plain": ""}, raw=True)
        self._rewrites = not say and not self._cell and sys.stderr.isatty()
        self._say = say or self._show
        self._steps = bool(say or self._cell or self._rewrites)
        self._width = 0
        self._begin = time.perf_counter()

    def __enter__(self) -> _Progress:
        self._say("fusewise: building ops, which later calls load from the cache")
        return self

    def step(self, done: int, total: int, what: str) -> None:
        if self._steps or not done:  # 0 of 1: it waits for another build
            self._say(f"fusewise: [{done}/{total}] {what}")

    def __exit__(self, failed: object, *_: object) -> None:
        if not failed:
            self._say(f"fusewise: built in {time.perf_counter() - self._begin:.1f} s")
        if self._rewrites:
            print(file=sys.stderr)

    def _show(self, line: str) -> None:
        if self._cell:
            self._cell.update({"text/plain": line}, raw=True)
        elif self._rewrites:
            line = line[: shutil.get_terminal_size().columns - 1]  # a second line would stay
            print(f"\r{line.ljust(self._width)}", end="", file=sys.stderr, flush=True)
            self._width = len(line)
        else:
            print(line, file=sys.stderr, flush=True)


def _silent(message: str) -> None:
    pass


def _text(spec: str | Table) -> str:
    if isinstance(spec, str):
        return spec
    from fusewise.language.document import write_document

    return write_document(spec)


def _read(spec: Spec | Sequence[Spec]) -> dict[str, str]:
    """The texts of the specs by the path that messages shall show.

    Raises:
        SpecError, FileNotFoundError, ValueError: as `load`.
    """
    texts: dict[str, str] = {}
    for item in [spec] if isinstance(spec, str | os.PathLike) else spec:
        if isinstance(item, str) and "\n" in item:
            texts[f"<spec {len(texts) + 1}>"] = item
            continue
        path = Path(item)
        if not path.exists():
            raise FileNotFoundError(f"there is no {path}")
        files = spec_files(path) if path.is_dir() else [path]
        if not files:
            raise FileNotFoundError(f"no specs (*.yaml) in {path}")
        texts |= read_texts({str(file): file for file in files})
    if not texts:
        raise ValueError("no specs given")
    return texts


def _import_package(name: str, folder: Path) -> ModuleType:
    # by its place, not through sys.path: loading must not change what other imports find
    found = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
