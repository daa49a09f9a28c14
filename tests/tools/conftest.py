"""Fixtures of the tests that build an extension."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fusewise.build import steps, tree
from fusewise.build.toolchain import Toolchain

MODULE = """\
#include <Python.h>
#include <answer.h>
int from_runtime();
#ifdef FUSEWISE_WITH_CUDA
int from_cuda();
#else
int from_cuda() { return 0; }
#endif
static PyObject* answer(PyObject*, PyObject*) {
  return PyLong_FromLong(kAnswer + from_runtime() + from_cuda());
}
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", "", -1, methods, {}, {}, {}, {}};
PyMODINIT_FUNC PyInit__C() { return PyModule_Create(&module); }
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one module, beside a runtime of one header and one source."""
    runtime = tmp_path / "runtime"
    files = {
        "csrc/module.cpp": MODULE,
        "runtime/answer.h": "constexpr int kAnswer = 40;\n",
        "runtime/runtime.cpp": "int from_runtime() { return 2; }\n",
    }
    for name, text in files.items():
        tree.write_text(tmp_path / name, text)
    monkeypatch.setattr(steps, "runtime_dir", lambda: runtime)
    return tmp_path / "csrc"


@pytest.fixture
def cpu() -> Toolchain:
    return Toolchain.find({"FUSEWISE_CUDA": "0"})


@pytest.fixture
def answer(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], int]:
    """Loads the extension module of `sources` and calls it."""

    def load(path: Path) -> int:
        # a copy under a name of its own: a process loads a module, and a path, only once
        copy = tmp_path_factory.mktemp("loaded") / path.name
        shutil.copy(path, copy)
        loader = importlib.machinery.ExtensionFileLoader(f"{copy.parent.name}._C", str(copy))
        spec = importlib.util.spec_from_loader(loader.name, loader)
        assert spec is not None
        return importlib.util.module_from_spec(spec).answer()

    return load
