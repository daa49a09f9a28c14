"""`fusewise.load` with a fake generator; test_loaded_ops.py has the real one."""

from __future__ import annotations

import copy
import errno
import fcntl
import math
import os
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock

import fusewise
import pytest
from fusewise.build import cache as cache_of_builds
from fusewise.build import ninja, steps
from fusewise.build.ninja import LOCK, BuildError
from fusewise.build.tree import write_text

# The module is hidden: the attribute `fusewise.load` is the function of the same name.
load_module = sys.modules["fusewise.load"]

SPEC = "op: gate\ninputs:\n  x: tensor\noutputs:\n  out: x * sigmoid(x)\n"
MODULE = """\
#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", "", -1, nullptr, {}, {}, {}, {}};
PyMODINIT_FUNC PyInit__C() { return PyModule_Create(&module); }
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an empty cache, with a fake generator whose package compiles in a moment."""
    before = set(sys.modules)

    def render_specs(texts: Mapping[str, str], package: str) -> dict[str, str]:
        names = {path: text.split()[1] for path, text in texts.items()}
        functions = [f"def {name}(): return {texts[path]!r}\n" for path, name in names.items()]
        init = "from . import _C\nfrom ._runtime import set_opaque\n"
        init += f"__all__ = {[*names.values(), 'set_opaque']}\n"
        init += "".join(functions)
        return {
            "csrc/module.cpp": MODULE,
            f"{package}/__init__.py": init,
            f"{package}/_runtime.py": "def set_opaque(): ...\n",
        }

    runtime = tmp_path / "runtime"
    write_text(runtime / "op.h", "// op\n")
    monkeypatch.setattr(steps, "runtime_dir", lambda: runtime)
    monkeypatch.setattr(cache_of_builds, "runtime_dir", lambda: runtime)
    monkeypatch.setattr(load_module, "render_specs", render_specs)
    monkeypatch.setattr(ninja, "_FIRST", math.inf)  # a slow machine would show the time left
    monkeypatch.setenv("FUSEWISE_CUDA", "0")
    monkeypatch.setenv("FUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache"
    for name in set(sys.modules) - before:
        if name.startswith(("fusewise_ops_", "mine_")):
            del sys.modules[name]


def test_the_text_of_a_spec(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ops = fusewise.load(SPEC)
    assert ops.gate() == SPEC
    assert ops.__name__.startswith("fusewise_ops_")
    assert sys.modules[ops.__name__] is ops
    assert str(ops.__file__).startswith(str(cache))
    out, err = capsys.readouterr()
    assert out == ""
    begin, end = err.splitlines()
    assert begin == "fusewise: building ops, which later calls load from the cache"
    assert re.fullmatch(r"fusewise: built in \d+\.\d s", end)
    del sys.modules[ops.__name__]
    fusewise.load(SPEC)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("cache")
def test_on_a_terminal_one_line_shows_the_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    ops = fusewise.load(SPEC)
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    shown = [line.rstrip() for line in err.rstrip("\n").split("\r")]
    steps = [
        f"fusewise: [{n}/2] {name}" for n, name in ((1, "module.cpp"), (2, f"{ops.__name__}/_C.so"))
    ]
    assert shown[:4] == [
        "",
        "fusewise: building ops, which later calls load from the cache",
        *steps,
    ]
    assert shown[4].startswith("fusewise: built in ")
    lengths = [len(line) for line in err.rstrip("\n").split("\r")[1:]]
    assert all(this >= len(before) for this, before in zip(lengths[1:], shown[1:], strict=False))
    monkeypatch.setenv("COLUMNS", "40")
    fusewise.load(SPEC + "# on a narrow one\n")
    assert max(map(len, capsys.readouterr().err.rstrip("\n").split("\r"))) == 39


@pytest.mark.usefixtures("cache")
def test_in_a_notebook_one_output_shows_the_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    handle = MagicMock()
    display = SimpleNamespace(DisplayHandle=lambda: handle)
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    fusewise.load(SPEC)
    assert capsys.readouterr() == ("", "")
    handle.display.assert_called_once_with({"text/plain": ""}, raw=True)
    begin, *steps, end = (call.args[0]["text/plain"] for call in handle.update.call_args_list)
    assert begin == "fusewise: building ops, which later calls load from the cache"
    assert steps[0] == "fusewise: [1/2] module.cpp"
    assert end.startswith("fusewise: built in ")


def test_a_new_cache_is_private(cache: Path) -> None:
    fusewise.load(SPEC)
    assert cache.stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("cache")
def test_a_pickled_op_has_the_text_of_its_spec(tmp_path: Path) -> None:
    spec = tmp_path / "gate.yaml"
    write_text(spec, SPEC)
    ops = fusewise.load(spec, name="mine")
    pickled = pickle.dumps({"gate": ops.gate})
    spec.unlink()
    assert pickle.loads(pickled)["gate"] is ops.gate
    assert copy.deepcopy(ops.gate) is ops.gate
    del sys.modules[ops.__name__]
    again = pickle.loads(pickled)["gate"]
    assert again() == SPEC
    assert sys.modules[ops.__name__].gate is again


@pytest.mark.usefixtures("cache")
def test_a_built_op_is_loaded_without_the_generator(tmp_path: Path) -> None:
    """Else the first call of each process would wait for what it does not use."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(steps.__file__).parents[2])!r})\n"
        "import fusewise\n"
        "from types import SimpleNamespace\n"
        "module = sys.modules['fusewise.load']\n"
        "module._import_package = lambda name, folder: SimpleNamespace(__all__=[])\n"
        f"spec = {str(tmp_path / 'gate.yaml')!r}\n"
        "module.build_extension = lambda package, csrc, target, **_: target.touch()\n"
        "module.render_specs = lambda texts, package: {f'{package}/__init__.py': ''}\n"
        "fusewise.load(spec)\n"
        "module.build_extension = module.render_specs = None\n"
        "fusewise.load(spec)\n"
        "print(*sys.modules)"
    )
    write_text(tmp_path / "gate.yaml", SPEC)
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "fusewise.build.cache" in loaded
    slow = {"jinja2", "mpmath", "rich", "sympy", "torch", "typer", "fusewise.pipeline"}
    assert not slow & set(loaded)


@pytest.mark.usefixtures("cache")
def test_paths_folders_and_lists(tmp_path: Path) -> None:
    for op in ("gate", "gated/soft"):
        write_text(tmp_path / f"specs/{op}.yaml", SPEC.replace("gate", Path(op).stem))
    one = fusewise.load(tmp_path / "specs/gate.yaml")
    assert not hasattr(one, "soft")
    folder = fusewise.load(str(tmp_path / "specs"))
    assert folder.gate() == SPEC
    assert folder.soft() == SPEC.replace("gate", "soft")
    assert (
        fusewise.load([tmp_path / "specs/gate.yaml", tmp_path / "specs/gated/soft.yaml"]) is folder
    )
    assert fusewise.load(SPEC) is one, "the content counts, not where it lies"


@pytest.mark.usefixtures("cache")
def test_a_changed_spec_is_another_module() -> None:
    old = fusewise.load(SPEC)
    new = fusewise.load(SPEC + "# changed\n")
    assert new is not old
    assert new.__name__ != old.__name__
    assert old.gate() == SPEC
    assert new.gate() == SPEC + "# changed\n"


@pytest.mark.usefixtures("cache")
def test_a_second_time_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    ops = fusewise.load(SPEC, name="mine")
    assert ops.__name__.startswith("mine_")
    assert fusewise.load(SPEC, name="mine") is ops
    del sys.modules[ops.__name__]
    monkeypatch.setattr(load_module, "build_extension", None)
    monkeypatch.setattr(load_module, "render_specs", None)
    again = fusewise.load(SPEC, name="mine")
    assert again.__file__ == ops.__file__


@pytest.mark.usefixtures("cache")
def test_threads_that_load_the_same_op_get_one_module(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    import_package = load_module._import_package

    def note(name: str, folder: Path) -> object:
        imported.append(name)
        time.sleep(0.05)  # in which other threads may see a module without its functions
        return import_package(name, folder)

    monkeypatch.setattr(load_module, "_import_package", note)
    with ThreadPoolExecutor(4) as pool:
        modules = list(pool.map(fusewise.load, [SPEC] * 4))
    assert len(imported) == 1
    assert all(module is modules[0] for module in modules)
    assert modules[0].gate() == SPEC


@pytest.mark.usefixtures("cache")
def test_a_load_that_was_stopped_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MAX_JOBS", "1")

    def narrate(*words: object) -> None:
        print(*words)
        if "[1/2]" in str(words[0]):
            raise KeyboardInterrupt

    monkeypatch.setattr(load_module, "print", narrate, raising=False)
    with pytest.raises(KeyboardInterrupt):
        fusewise.load(SPEC, verbose=True)
    assert "[1/2] module.cpp" in capsys.readouterr().out
    monkeypatch.delattr(load_module, "print")
    fusewise.load(SPEC, verbose=True)
    assert "[1/1] fusewise_ops_" in capsys.readouterr().out


def test_the_cache_is_not_cleaned_during_a_load(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build_extension(package: str, csrc: Path, target: Path, **_: object) -> None:
        with (cache / "loaded" / LOCK).open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        raise BuildError("it was locked")

    monkeypatch.setattr(load_module, "build_extension", build_extension)
    with pytest.raises(BuildError, match="it was locked"):
        fusewise.load(SPEC)


@pytest.mark.usefixtures("cache")
def test_a_changed_runtime_is_built_anew(tmp_path: Path) -> None:
    old = fusewise.load(SPEC)
    (tmp_path / "runtime/op.h").write_text("// changed\n")
    assert fusewise.load(SPEC) is not old


def test_verbose_narrates(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ops = fusewise.load(SPEC, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert ops.__file__ is not None
    root = Path(ops.__file__).parents[1]
    assert root.is_relative_to(cache / "loaded")
    assert lines[0].startswith("fusewise: torch ")
    assert lines[1] == f"fusewise: generating <spec 1> in {root}"
    assert "fusewise: [1/2] module.cpp" in lines
    assert lines[-1] == f"fusewise: loading {ops.__name__}"
    assert lines[-2].startswith("fusewise: built in ")
    fusewise.load(SPEC, verbose=True)
    assert capsys.readouterr().out == f"fusewise: {ops.__name__} is loaded already\n"


def test_cache_dir_wins_over_the_environment(cache: Path, tmp_path: Path) -> None:
    ops = fusewise.load(SPEC, cache_dir=tmp_path / "other")
    assert str(ops.__file__).startswith(str(tmp_path / "other"))
    assert not cache.exists()


@pytest.mark.usefixtures("cache")
def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no_such\.yaml"):
        fusewise.load("no_such.yaml")
    with pytest.raises(FileNotFoundError, match=r"no specs \(\*\.yaml\)"):
        fusewise.load(tmp_path)
    with pytest.raises(ValueError, match="no specs given"):
        fusewise.load([])
    with pytest.raises(ValueError, match="expected letters"):
        fusewise.load(SPEC, name="my-ops")


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (
            errno.EROFS,
            "cannot write to the cache {}: Read-only file system\n"
            "  hint: name another folder in FUSEWISE_CACHE_DIR",
        ),
        (
            errno.ENOSPC,
            "cannot write to the cache {}: No space left on device\n"
            "  hint: free some space, or name another folder in FUSEWISE_CACHE_DIR",
        ),
    ],
)
def test_a_cache_that_cannot_be_written(
    cache: Path, monkeypatch: pytest.MonkeyPatch, number: int, message: str
) -> None:
    built = fusewise.load(SPEC).__name__

    def refuse(path: Path, text: str) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(load_module, "write_text", refuse)
    with pytest.raises(BuildError) as error:
        fusewise.load(SPEC.replace("gate", "other"))
    assert str(error.value) == message.format(cache)
    del sys.modules[built]
    assert fusewise.load(SPEC).__name__ == built, "a built op is only read"


@pytest.mark.parametrize("inside", ["file", "file/cache", "file/deeper/cache"])
def test_a_cache_that_cannot_be_a_folder(tmp_path: Path, inside: str) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / inside
    with pytest.raises(BuildError) as error:
        fusewise.load(SPEC, cache_dir=folder)
    said = "File exists" if inside == "file" else "Not a directory"
    hint = "hint: name another folder in FUSEWISE_CACHE_DIR"
    assert str(error.value) == f"cannot write to the cache {folder}: {said}\n  {hint}"


def test_other_errors_of_the_system_stay(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, text: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/usr/bin/ninja")

    monkeypatch.setattr(load_module, "write_text", refuse)
    with pytest.raises(PermissionError, match="/usr/bin/ninja"):
        fusewise.load(SPEC)


def test_a_bad_spec_is_shown_with_a_caret(tmp_path: Path) -> None:
    with pytest.raises(fusewise.SpecError) as error:
        fusewise.load(SPEC.replace("sigmoid", "sigmod"), cache_dir=tmp_path)
    assert str(error.value).startswith("<spec 1>:5:12: error: unknown function 'sigmod'")
    assert "^~~" in str(error.value)
    assert list(tmp_path.iterdir()) == []
