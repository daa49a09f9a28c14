from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise.build import extension as build
from fusewise.build import toolchain, tree
from fusewise.build.extension import SUFFIX, build_extension, ninja_text
from fusewise.build.ninja import BuildError
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
    monkeypatch.setattr(build, "runtime_dir", lambda: runtime)
    return tmp_path / "csrc"


@pytest.fixture
def cpu() -> Toolchain:
    return Toolchain.find({"FUSEWISE_CUDA": "0"})


def make(sources: Path, toolchain: Toolchain, package: str = "my_ops") -> build.Built:
    root = sources.parent
    target = root / package / f"_C{SUFFIX}"
    return build_extension(package, sources, target, work=root / "build", toolchain=toolchain)


def answer(path: Path) -> int:
    # under a name of its own: a process loads an extension module only once
    loader = importlib.machinery.ExtensionFileLoader(f"t{path.stat().st_mtime_ns}._C", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    return importlib.util.module_from_spec(spec).answer()


def test_a_build_gives_a_module(sources: Path, cpu: Toolchain) -> None:
    built = make(sources, cpu)
    assert built.path.name == f"_C{SUFFIX}"
    assert {name for name, _ in built.compiled} == {"module.cpp", "runtime.cpp", "_C"}
    assert answer(built.path) == 42


def test_what_did_not_change_is_not_built_again(sources: Path, cpu: Toolchain) -> None:
    first = make(sources, cpu)
    stamp = first.path.stat().st_mtime_ns
    again = make(sources, cpu)
    assert again.compiled == ()
    assert again.path.stat().st_mtime_ns == stamp


def test_a_changed_header_rebuilds_what_includes_it(sources: Path, cpu: Toolchain) -> None:
    make(sources, cpu)
    (sources.parent / "runtime/answer.h").write_text("constexpr int kAnswer = 50;\n")
    built = make(sources, cpu)
    assert {name for name, _ in built.compiled} == {"module.cpp", "_C"}
    assert answer(built.path) == 52


def test_many_files_share_a_precompiled_header(sources: Path, cpu: Toolchain) -> None:
    header = sources.parent / "runtime/fusewise/torch/decomposition.h"
    tree.write_text(header, "#pragma once\ninline int three() { return 3; }\n")
    names = [f"op{i}_torch.cpp" for i in range(build.PRECOMPILE_FROM)]
    for name in names:
        assert ".gch" not in ninja_text("my_ops", sources, cpu)
        text = (
            f"#include <fusewise/torch/decomposition.h>\nint {name[:3]}() {{ return three(); }}\n"
        )
        tree.write_text(sources / name, text)
    first = {name for name, _ in make(sources, cpu).compiled}
    assert first == {"decomposition.h", *names, "module.cpp", "runtime.cpp", "_C"}
    assert make(sources, cpu).compiled == ()
    header.write_text("#pragma once\ninline int three() { return 4; }\n")
    assert {name for name, _ in make(sources, cpu).compiled} == {"decomposition.h", *names, "_C"}


def test_cpu_kernels_are_compiled_for_each_capability(sources: Path, cpu: Toolchain) -> None:
    tree.write_text(sources / "op" / "op_cpu.cpp", "")
    one, two = replace(cpu, capabilities=()), replace(cpu, capabilities=("avx2", "avx512"))
    text = ninja_text("my_ops", sources, two)
    for name, flag in (("avx2", "-mavx2 "), ("avx512", "-mavx512f ")):
        assert f"build my_ops/op/op_cpu.cpp.{name}.o: cxx " in text
        assert f"-DFUSEWISE_CAPABILITY={name} {flag}" in text
    assert text.count("/op_cpu.cpp.avx2.o") == 2  # compiled, and linked
    assert "-DFUSEWISE_WITH_AVX" in text
    assert "avx" not in ninja_text("my_ops", sources, one).lower()


def test_packages_share_the_objects_of_the_runtime(sources: Path, cpu: Toolchain) -> None:
    make(sources, cpu)
    other = make(sources, cpu, "other_ops")
    assert {name for name, _ in other.compiled} == {"module.cpp", "_C"}
    assert make(sources, cpu).compiled == ()


def test_two_builds_at_a_time(sources: Path, cpu: Toolchain) -> None:
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda package: make(sources, cpu, package), ["my_ops", "other_ops"]))
    names = sorted(name for built in both for name, _ in built.compiled)
    assert names == ["_C", "_C", "module.cpp", "module.cpp", "runtime.cpp"]


# A compiler that, while the file `hold` is there, leaves half of the object of slow.cpp and waits.
HOLDING_CXX = """\
#!/bin/bash
folder=$(dirname "$0")
[[ "$*" == *slow.cpp* ]] || exec g++ "$@"
echo begin >> "$folder/calls"
if [ -e "$folder/hold" ]; then
  echo half > my_ops/slow.cpp.o
  echo $$ > "$folder/held"
  while [ -e "$folder/hold" ]; do sleep 0.02; done
fi
g++ "$@"
echo end >> "$folder/calls"
"""

BUILD = """\
import signal
import sys
from dataclasses import replace
from pathlib import Path
from fusewise.build import extension as build
# which a shell ignores for what it runs in the background
signal.signal(signal.SIGINT, signal.default_int_handler)
root, strict = Path(sys.argv[1]), sys.argv[2] == "strict"
build.runtime_dir = lambda: root / "runtime"
toolchain = replace(
    build.Toolchain.find({"FUSEWISE_CUDA": "0", "CXX": str(root / "cxx")}), capabilities=()
)
if strict:  # in the same folder
    toolchain = replace(toolchain, capabilities=("avx2",))
target = root / f"my_ops/_C{build.SUFFIX}"
built = build.build_extension(
    "my_ops", root / "csrc", target, work=root / "build", toolchain=toolchain,
    report=lambda done, total, what: print(what, flush=True),
)
print("compiled", *sorted(name for name, _ in built.compiled))
"""


class Builds:
    """Builds in processes of their own, which can be killed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, flags: str = "") -> subprocess.Popen[bytes]:
        environ = os.environ | {"PYTHONPATH": str(Path(build.__file__).parents[2]), "MAX_JOBS": "2"}
        with self.output.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", BUILD, str(self.root), flags],
                env=environ,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    @property
    def output(self) -> Path:
        """What the build that was started last has said."""
        return self.root / "output"

    def finish(self, process: subprocess.Popen[bytes]) -> list[str]:
        """What it compiled."""
        code = process.wait(timeout=60)
        text = self.output.read_text()
        assert code == 0, text
        return text.splitlines()[-1].split()[1:]

    def start_held(self, flags: str = "") -> subprocess.Popen[bytes]:
        """A build that has compiled all but slow.cpp, of which half an object is there."""
        (self.root / "hold").touch()
        process = self.start(flags)
        others = ["module.cpp", "runtime.cpp"]
        wait_for(lambda: sorted(self.output.read_text().split()) == others)
        wait_for(lambda: (self.root / "held").exists())
        return process

    @property
    def compiler(self) -> int:
        return int((self.root / "held").read_text())


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def builds(sources: Path) -> Iterator[Builds]:
    root = sources.parent
    tree.write_text(sources / "slow.cpp", "int slow() { return 1; }\n")
    tree.write_text(root / "cxx", HOLDING_CXX)
    (root / "cxx").chmod(0o755)
    builds = Builds(root)
    yield builds
    (root / "hold").unlink(missing_ok=True)
    for process in builds.started:
        process.kill()
        process.wait()


def interrupt_all(process: subprocess.Popen[bytes], compiler: int) -> None:
    """As Ctrl-C in a terminal does."""
    os.killpg(process.pid, signal.SIGINT)
    process.wait(timeout=30)


def interrupt_python(process: subprocess.Popen[bytes], compiler: int) -> None:
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)


def kill_all(process: subprocess.Popen[bytes], compiler: int) -> None:
    for pid in (process.pid, parent_of(compiler), compiler):
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not is_running(compiler))


STOPS = pytest.mark.parametrize("stop", [interrupt_all, interrupt_python, kill_all])
Stop = Callable[[subprocess.Popen[bytes], int], None]


@pytest.mark.slow
@STOPS
def test_a_build_that_was_stopped_goes_on_where_it_was(builds: Builds, stop: Stop) -> None:
    process = builds.start_held()
    compiler = builds.compiler
    stop(process, compiler)
    assert not is_running(compiler)
    (builds.root / "hold").unlink()
    assert builds.finish(builds.start()) == ["_C", "slow.cpp"]
    assert answer(builds.root / f"my_ops/_C{SUFFIX}") == 42
    assert builds.finish(builds.start()) == []


@pytest.mark.slow
@STOPS
def test_half_an_object_is_never_taken_for_a_whole_one(builds: Builds, stop: Stop) -> None:
    assert builds.finish(builds.start()) == ["_C", "module.cpp", "runtime.cpp", "slow.cpp"]
    process = builds.start_held("strict")
    stop(process, builds.compiler)
    (builds.root / "hold").unlink()
    # with the flags of the first build, for which ninja's log has an entry
    assert "slow.cpp" in builds.finish(builds.start())
    assert builds.finish(builds.start()) == []


@pytest.mark.slow
def test_a_build_waits_for_the_compilers_of_one_that_was_killed(builds: Builds) -> None:
    process = builds.start_held()
    process.kill()
    process.wait()
    other = builds.start()
    wait_for(lambda: builds.output.read_text().startswith("waiting for another build in "))
    (builds.root / "hold").unlink()
    assert "_C" in builds.finish(other)
    calls = (builds.root / "calls").read_text().split()
    assert calls == ["begin", "end"] * (len(calls) // 2)
    assert answer(builds.root / f"my_ops/_C{SUFFIX}") == 42


def test_a_compiler_error_is_readable(sources: Path, cpu: Toolchain) -> None:
    tree.write_text(sources / "swiglu/swiglu_cpu.cpp", "int f() { return undeclared; }\n")
    with pytest.raises(BuildError) as error:
        make(sources, cpu)
    lines = str(error.value).splitlines()
    assert lines[0] == "my_ops/swiglu/swiglu_cpu.cpp does not compile:"
    assert "'undeclared' was not declared in this scope" in lines[2]
    assert "-std=" not in str(error.value)
    assert Path(lines[-1].removeprefix("the whole output is in ")).read_text().count("-std=") == 1


def test_warnings_are_handed_on_and_can_be_errors(sources: Path, cpu: Toolchain) -> None:
    tree.write_text(sources / "unused.cpp", "static int unused() { return 1; }\n")
    assert "unused" in make(sources, cpu).warnings
    with pytest.raises(BuildError, match="does not compile"):
        make(sources, replace(cpu, strict=True))


def test_the_ninja_file_is_the_same_every_time(sources: Path, cpu: Toolchain) -> None:
    for name in ("b/b.cpp", "a/a.cpp", "a/a.cu", "a/a.h"):
        tree.write_text(sources / name, "")
    text = ninja_text("my_ops", sources, cpu)
    assert text == ninja_text("my_ops", sources, cpu)
    objects = [line.split(":")[0] for line in text.splitlines() if line.startswith("build ")]
    assert objects == [
        "build my_ops/a/a.cpp.o",
        "build my_ops/b/b.cpp.o",
        "build my_ops/module.cpp.o",
        "build runtime/runtime.cpp.o",
        "build my_ops/_C.so",
    ]
    assert "my_ops/a/a.cu.o" in ninja_text("my_ops", sources, with_cuda(cpu))


def test_paths_with_odd_characters(sources: Path, cpu: Toolchain) -> None:
    odd = sources.parent / "a b$c:d"
    sources.rename(odd)
    assert answer(make(odd, cpu).path) == 42


def test_nothing_to_compile(
    tmp_path: Path, cpu: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "runtime_dir", lambda: tmp_path / "no_runtime")
    with pytest.raises(BuildError, match="run `fusewise generate` first"):
        ninja_text("my_ops", tmp_path / "csrc", cpu)


def with_cuda(toolchain: Toolchain) -> Toolchain:
    return replace(toolchain, nvcc="/cuda/bin/nvcc", archs=("80", "90"))


def test_architectures(cpu: Toolchain) -> None:
    flags = with_cuda(cpu).nvccflags
    assert "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90" in flags
    assert flags.count("code=compute_") == 1
    assert "code=compute_90" in flags
    only = replace(with_cuda(cpu), archs=("80", "90a")).nvccflags
    assert "code=sm_90a -gencode=arch=compute_80,code=compute_80" in only
    assert toolchain._architectures({"FUSEWISE_ARCHS": "8.0;9.0+PTX"}) == ("80", "90")
    assert toolchain._architectures({"FUSEWISE_ARCHS": "90a, 100"}) == ("90a", "100")
    with pytest.raises(BuildError, match="'native'"):
        toolchain._architectures({"FUSEWISE_ARCHS": "native"})


def test_without_nvcc_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.shutil, "which", lambda name, path=None: None)
    found, why = toolchain._find_nvcc({})
    assert found is None
    assert why == "no nvcc in CUDA_HOME, on PATH or in /usr/local/cuda"
    with pytest.raises(BuildError, match="FUSEWISE_CUDA=1, but no nvcc"):
        toolchain._find_nvcc({"FUSEWISE_CUDA": "1"})


def test_what_the_toolchain_says(cpu: Toolchain) -> None:
    assert str(cpu) == f"torch {cpu.torch_version}, CPU kernels only (FUSEWISE_CUDA=0)"
    assert "CPU and CUDA kernels for sm_80, sm_90 with /cuda/bin/nvcc" in str(with_cuda(cpu))
    with pytest.raises(BuildError, match="expected 0, 1 or auto"):
        Toolchain.find({"FUSEWISE_CUDA": "yes"})
    with pytest.raises(BuildError, match="no-such-compiler is not on PATH"):
        Toolchain.find({"FUSEWISE_CUDA": "0", "CXX": "no-such-compiler"})


def test_torch_is_found_without_importing_it() -> None:
    code = (
        "from fusewise.build.toolchain import Toolchain; Toolchain.find(); "
        "import sys; print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    environ = os.environ | {"PYTHONPATH": str(Path(build.__file__).parents[2])}
    loaded = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert "torch" not in loaded.stdout.split()


@pytest.mark.slow
def test_cuda_is_compiled_without_a_gpu(sources: Path) -> None:
    toolchain = Toolchain.find({**os.environ, "FUSEWISE_CUDA": "auto", "FUSEWISE_ARCHS": "90"})
    if not toolchain.nvcc:
        pytest.skip(toolchain.no_cuda)
    (sources / "kernel.cu").write_text(
        "#include <answer.h>\n"
        "__global__ void kernel(int* out) { *out = 1; }\n"
        "int from_cuda() {\n"
        "  return cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1) == -1 ? kAnswer : 0;\n"
        "}\n"
    )
    strict = replace(toolchain, strict=True)
    built = make(sources, strict)
    assert answer(built.path) == 42
    (sources.parent / "runtime/answer.h").write_text("constexpr int kAnswer = 50;\n")
    assert "kernel.cu" in {name for name, _ in make(sources, strict).compiled}
    exported = subprocess.run(
        ["nm", "-D", "--defined-only", str(built.path)], capture_output=True, text=True, check=True
    )
    assert "cuda" not in exported.stdout.lower()  # torch's own CUDA runtime must not take its place
