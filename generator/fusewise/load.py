"""Ops at run time: `fusewise.load` turns specs into a module, built once and cached."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from fusewise.build.extension import SUFFIX, build_extension
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import render_specs, spec_files, tool_files, write_text
from fusewise.folders import runtime_dir

Spec = str | os.PathLike[str]


def load(
    spec: Spec | Sequence[Spec],
    *,
    name: str | None = None,
    verbose: bool = False,
    cache_dir: str | os.PathLike[str] | None = None,
) -> ModuleType:
    """Builds ops from specs and returns a module that has them as attributes.

    Args:
        spec: the path of a spec, a folder of them, the YAML text of one itself, or a list of such.
        name: a word for the module's name, which ends in a hash of the content in any case.
        verbose: say on standard output what is done.
        cache_dir: where builds are kept; else FUSEWISE_CACHE_DIR, else the user's cache folder.

    The same specs are built once and loaded at once from then on; a spec that changed gives a new
    module with a dispatcher namespace of its own, in the same process too.

    >>> ops = fusewise.load("swiglu.yaml")
    >>> ops.swiglu(x, y).sum().backward()

    Raises:
        SpecError: a spec is wrong; the message shows where, with a caret.
        BuildError: there is no compiler, or it failed.
    """
    say = print if verbose else _silent
    texts = _read(spec)
    toolchain = Toolchain.find()
    package = f"{name or 'fusewise_ops'}_{_key(texts, toolchain)}"
    if not package.isidentifier():
        raise ValueError(f"name is {name!r}: expected letters, digits and underscores")
    if package in sys.modules:
        say(f"fusewise: {package} is loaded already")
        return sys.modules[package]
    cache = _cache_dir(cache_dir)
    root = cache / "loaded" / package
    target = root / package / f"_C{SUFFIX}"
    if target.exists():
        say(f"fusewise: {package} is built already, in {root}")
    else:
        say(f"fusewise: {toolchain}")
        say(f"fusewise: generating {', '.join(texts)} in {root}")
        for path, text in render_specs(texts, package).items():
            write_text(root / path, text)
        say(f"fusewise: building {package}")
        built = build_extension(
            package,
            root / "csrc",
            target,
            work=cache,
            toolchain=toolchain,
            report=lambda done, total, what: say(f"fusewise: [{done}/{total}] {what}"),
        )
        say(f"fusewise: built in {built.seconds:.1f} s")
    say(f"fusewise: loading {package}")
    return _import_package(package, root / package)


def _silent(message: str) -> None:
    pass


def _read(spec: Spec | Sequence[Spec]) -> dict[str, str]:
    """The texts of the specs by the path that messages shall show."""
    from fusewise.language.document import decode

    texts: dict[str, str] = {}
    for item in [spec] if isinstance(spec, str | os.PathLike) else spec:
        if isinstance(item, str) and "\n" in item:
            texts[f"<spec {len(texts) + 1}>"] = item
            continue
        path = Path(item)
        files = spec_files(path) if path.is_dir() else [path]
        if not files:
            raise FileNotFoundError(f"no specs (*.yaml) in {path}")
        texts |= {str(file): decode(file.read_bytes(), str(file)) for file in files}
    if not texts:
        raise ValueError("no specs given")
    return texts


def _key(texts: dict[str, str], toolchain: Toolchain) -> str:
    """A hash of everything that decides what is built, except where the specs lie."""
    digest = hashlib.sha256()
    runtime = {str(path.relative_to(runtime_dir())): path for path in runtime_dir().rglob("*.*")}
    tools = {f"{group}/{name}": p for group, fs in tool_files().items() for name, p in fs.items()}
    files = [path for _, path in sorted((runtime | tools).items()) if path.is_file()]
    parts = [toolchain.tag, toolchain.cxxflags, toolchain.libraries, *sorted(texts.values())]
    if toolchain.nvcc:
        parts.append(toolchain.nvccflags)
    for part in [*map(str.encode, parts), *(path.read_bytes() for path in files)]:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:12]


def _cache_dir(wish: str | os.PathLike[str] | None) -> Path:
    if named := wish or os.environ.get("FUSEWISE_CACHE_DIR"):
        return Path(named).resolve()
    from platformdirs import user_cache_path

    return user_cache_path("fusewise", appauthor=False)


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
