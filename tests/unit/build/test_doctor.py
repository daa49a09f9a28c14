"""`fusewise doctor`: a machine without faults, and each fault with its text and hint."""

from __future__ import annotations

import errno
import json
import shutil
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from fusewise.build import doctor, extension, toolchain
from fusewise.build.doctor import Finding, Place, diagnose
from fusewise.build.extension import Target, built_for
from fusewise.build.ninja import BuildError
from fusewise.build.toolchain import CudaVersion, find_torch
from fusewise.build.tree import write_text

Command = Callable[..., tuple[int, str, str]]
TOOL = """\
#!/bin/sh
[ "$1" = --version ] && echo "{version}" && exit
cat >&2 <<'END'
{said}
END
exit {code}
"""
READ, STALENESS = doctor.Manifest.read, doctor.staleness
NVCC = "Cuda compilation tools, release 13.0, V13.0.88"


class Machine:
    """A machine whose parts a test replaces, with a fresh tree and a built extension."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.patch = monkeypatch
        self.extension = Path("generated/ops/_C.so")
        self.place = Place(
            Path("generated"),
            lambda: self.extension,
            {"CXX": str(folder / "bin/g++"), "CUDA_HOME": str(folder)},
        )
        self.write_tool("g++", "g++ 12.2.0")
        self.write_tool("nvcc", NVCC)
        self.set("find_torch", (Path("/torch"), "2.13.0+cu130"))
        self.set("torch_cuda", "13.0")
        self.set("find_headers", Path("/include"))
        self.set("find_ninja", "/bin/ninja")
        self.set("driver_cuda", CudaVersion(13, 0))
        self.set("gpu_architectures", ("90",))
        self.set("find_architectures", ("80", "90"))
        self.set("cache_dir", folder / "cache")
        self.set("staleness", ())
        self.set("built_for", Target("2.13.0", (80, 90), (90,)))
        monkeypatch.setattr(
            doctor.Manifest,
            "read",
            lambda root: SimpleNamespace(outputs={"a.cpp": "", "b.cpp": ""}),
        )
        (folder / "generated/ops").mkdir(parents=True)
        (folder / "generated/ops/_C.so").touch()
        (folder / "cache").mkdir()
        (folder / "cache/module.o").write_bytes(b"x" * 1_500_000)

    def set(self, name: str, found: object) -> None:
        self.patch.setattr(doctor, name, lambda *_: found)

    def write_tool(self, name: str, version: str, said: str = "", code: int = 0) -> None:
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(TOOL.format(version=version, said=said, code=code))
        path.chmod(0o755)

    def finding(self, subject: str) -> tuple[str, str, str]:
        """State, text and hint. All other findings are good."""
        findings = {found.subject: found for found in diagnose(self.place)}
        found = findings.pop(subject)
        assert {other.state for other in findings.values()} == {"ok"}
        return found.state, found.text.replace(str(self.folder), "~"), found.hint


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.chdir(tmp_path)
    return Machine(tmp_path, monkeypatch)


def test_nothing_is_wrong(machine: Machine) -> None:
    page = "\n".join(map(str, diagnose(machine.place))).replace(str(machine.folder), "~")
    assert page.splitlines() == [
        "ok     torch: torch 2.13.0+cu130, with CUDA 13.0, in /torch",
        "ok     python: headers in /include",
        "ok     compiler: g++ 12.2.0 compiles C++20",
        "ok     ninja: /bin/ninja",
        "ok     nvcc: ~/bin/nvcc, CUDA 13.0, compiles for sm_80, sm_90",
        "ok     gpu: sm_90",
        "ok     cache: ~/cache holds 1.5 MB",
        "ok     generated: generated is fresh, 2 files",
        "ok     extension: generated/ops/_C.so is built for torch 2.13.0, sm_80, sm_90,"
        " PTX of sm_90",
    ]


def test_a_probe_that_fails_is_a_finding(machine: Machine) -> None:
    def find_ninja() -> str:
        raise BuildError("no ninja", "pip install ninja")

    machine.patch.setattr(doctor, "find_ninja", find_ninja)
    assert machine.finding("ninja") == ("broken", "no ninja", "pip install ninja")


def test_a_compiler_without_cpp20(machine: Machine) -> None:
    machine.write_tool(
        "g++", "g++ 7.5", "g++: error: unrecognized command line option '-std=c++20'", 1
    )
    assert machine.finding("compiler") == (
        "broken",
        "~/bin/g++ compiles no C++20:\ng++: error: unrecognized command line option '-std=c++20'",
        "this compiler has no C++20: g++ has it from version 10, nvcc from version 12",
    )


def test_no_compiler(machine: Machine) -> None:
    (machine.folder / "bin/g++").unlink()
    machine.set("find_nvcc", (None, "FUSEWISE_CUDA=0"))
    machine.patch.setitem(machine.place.environ, "FUSEWISE_CUDA", "0")  # pyright: ignore
    findings = {found.subject: found for found in diagnose(machine.place)}
    text = f"no C++ compiler: {machine.folder}/bin/g++ is not on PATH"
    hint = "install g++, or name another C++ compiler in CXX"
    assert findings["compiler"] == Finding("compiler", "broken", text, hint)
    text = "FUSEWISE_CUDA=0: builds have CPU kernels only"
    assert findings["nvcc"] == Finding("nvcc", "note", text)


def test_a_failure_of_several_probes_is_broken_once(machine: Machine) -> None:
    def find_torch() -> None:
        raise BuildError("no torch")

    (machine.folder / "bin/g++").unlink()
    machine.patch.setattr(doctor, "find_torch", find_torch)
    assert [found for found in diagnose(machine.place) if found.state == "note"] == [
        Finding("nvcc", "note", "not examined: compiler is broken"),
        Finding("gpu", "note", "not examined: torch is broken"),
        Finding("extension", "note", "not examined: torch is broken"),
    ]


def test_no_nvcc(machine: Machine) -> None:
    machine.set("find_nvcc", (None, "no nvcc on PATH"))
    assert machine.finding("nvcc") == (
        "note",
        "no nvcc on PATH: builds have CPU kernels only",
        "install the CUDA toolkit, or name its folder in CUDA_HOME",
    )


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        (
            "#error -- unsupported GNU version! gcc versions later than 15 are not supported!",
            "this nvcc does not take this g++: name an older g++ in CXX, or install a newer CUDA"
            " toolkit",
        ),
        (
            "nvcc fatal   : Unsupported gpu architecture compute_120",
            "this nvcc does not know that architecture: install a newer CUDA toolkit, or name other"
            " architectures in FUSEWISE_ARCHS",
        ),
        ("nvcc fatal   : something else", ""),
    ],
)
def test_an_nvcc_that_does_not_compile(machine: Machine, said: str, hint: str) -> None:
    machine.write_tool("nvcc", NVCC, said, 1)
    text = f"~/bin/nvcc compiles nothing for sm_80, sm_90:\n{said}"
    assert machine.finding("nvcc") == ("broken", text, hint)


def test_an_nvcc_that_is_newer_than_the_driver(machine: Machine) -> None:
    machine.set("driver_cuda", CudaVersion(12, 4))
    assert machine.finding("nvcc") == (
        "broken",
        "~/bin/nvcc is of CUDA 13.0, but the driver runs CUDA 12.4",
        "update the driver, or name a toolkit of CUDA 12 in CUDA_HOME",
    )
    machine.write_tool("nvcc", "Cuda compilation tools, release 12.8, V12.8.61")
    assert machine.finding("nvcc")[0] == "ok"


def test_a_torch_without_cuda_beside_a_gpu(machine: Machine) -> None:
    machine.set("torch_cuda", None)
    assert machine.finding("gpu") == (
        "note",
        "sm_90, but this torch has no CUDA",
        "install a torch with CUDA",
    )
    machine.set("gpu_architectures", ())
    assert machine.finding("gpu") == ("ok", "none is seen", "")


@pytest.mark.parametrize(
    ("number", "reason", "hint"),
    [
        (errno.EROFS, "Read-only file system", "name another folder in FUSEWISE_CACHE_DIR"),
        (
            errno.ENOSPC,
            "No space left on device",
            "free some space, or name another folder in FUSEWISE_CACHE_DIR",
        ),
    ],
)
def test_a_cache_that_cannot_be_written(
    machine: Machine, number: int, reason: str, hint: str
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(number, reason)

    machine.patch.setattr(doctor.tempfile, "TemporaryFile", refuse)
    text = f"~/cache holds 1.5 MB and cannot be written: {reason}"
    assert machine.finding("cache") == ("broken", text, hint)


def test_a_disk_that_is_nearly_full(machine: Machine) -> None:
    usage = SimpleNamespace(free=300_000_000)
    machine.patch.setattr(shutil, "disk_usage", lambda path: usage)
    shutil.rmtree(machine.folder / "cache")
    assert machine.finding("cache") == (
        "note",
        "~/cache holds nothing, and its disk has 300 MB left",
        "`fusewise clean` removes builds that this version cannot use",
    )


@pytest.mark.parametrize(
    ("problems", "text"),
    [
        (["specs/gate.yaml changed"], "generated is stale: specs/gate.yaml changed"),
        (["a is new", "b changed", "c is gone"], "generated is stale: a is new and 2 more"),
    ],
)
def test_a_stale_tree(machine: Machine, problems: Sequence[str], text: str) -> None:
    machine.set("staleness", tuple(problems))
    assert machine.finding("generated") == ("broken", text, "run `fusewise generate`")


def test_nothing_is_generated_or_built(machine: Machine) -> None:
    machine.patch.setattr(doctor.Manifest, "read", lambda root: None)
    text, hint = "no generated files in generated", "`fusewise generate` writes them"
    assert machine.finding("generated") == ("note", text, hint)
    machine.patch.setattr(doctor.Manifest, "read", lambda root: SimpleNamespace(outputs={}))
    machine.extension.unlink()
    text = "generated/ops/_C.so is not built"
    assert machine.finding("extension") == ("note", text, "run `fusewise build`")


@pytest.mark.parametrize(
    ("target", "text", "hint"),
    [
        (None, "is damaged, or of an older fusewise", "run `fusewise build`"),
        (
            Target("2.11.0", (90,), (90,)),
            "is built for torch 2.11.0, but this is torch 2.13.0+cu130",
            "run `fusewise build`",
        ),
        (
            Target("2.13.1", (80, 86), ()),
            "is built for torch 2.13.1, sm_80, sm_86, and not for sm_90",
            'FUSEWISE_ARCHS="90" fusewise build',
        ),
        (
            Target("2.13.0", (), ()),
            "is built for torch 2.13.0, CPU only, and not for sm_90",
            'FUSEWISE_ARCHS="90" fusewise build',
        ),
    ],
)
def test_an_extension_for_something_else(
    machine: Machine, target: Target | None, text: str, hint: str
) -> None:
    machine.set("built_for", target)
    assert machine.finding("extension") == ("broken", f"generated/ops/_C.so {text}", hint)


def test_the_gpus_that_an_extension_runs_on() -> None:
    code = Target("2.13.0", (80, 90), ())
    runs = [arch for arch in ("75", "80", "89", "90", "100", "120") if code.runs_on(arch)]
    assert runs == ["80", "89", "90"]
    with_ptx = Target("2.13.0", (80,), (80,))
    assert not with_ptx.runs_on("75")
    assert with_ptx.runs_on("120")


def fat_binary(*images: tuple[int, int]) -> bytes:
    """A fat binary with images of a kind and an architecture."""
    body = b"".join(
        struct.pack("<HHIQ", kind, 0x101, 64, 8) + bytes(12) + struct.pack("<I", arch) + bytes(40)
        for kind, arch in images
    )
    return struct.pack("<IHHQ", extension.FAT_BINARY, 1, 16, len(body)) + body


def test_the_images_of_fat_binaries() -> None:
    data = fat_binary((2, 80), (2, 90), (1, 90)) + bytes(8) + fat_binary((2, 75))
    assert list(extension._fat_binaries(data)) == [{(2, 80), (2, 90), (1, 90)}, {(2, 75)}]


def test_a_file_that_is_no_extension(tmp_path: Path) -> None:
    (tmp_path / "_C.so").write_bytes(b"nothing")
    assert built_for(tmp_path / "_C.so") is None
    assert built_for(tmp_path / "missing.so") is None


def test_the_command(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Finding("ninja", "ok", "/bin/ninja"), Finding("nvcc", "note", "no nvcc", "install")]
    monkeypatch.setattr(doctor, "diagnose", lambda place: findings)
    page = "ok     ninja: /bin/ninja\nnote   nvcc: no nvcc\n  hint: install\n"
    assert command("doctor") == (0, page, "")
    findings.append(Finding("torch", "broken", "no torch", "install one"))
    assert command("doctor")[0] == 1
    code, out, _ = command("doctor", "--json", "-")
    assert code == 1
    assert json.loads(out)["findings"][1:] == [
        {"subject": "nvcc", "state": "note", "text": "no nvcc", "hint": "install"},
        {"subject": "torch", "state": "broken", "text": "no torch", "hint": "install one"},
    ]


NOT_EXAMINED = "not examined: generated is broken"
SECOND = "specs/gate.yaml:1:1: error: 'gate' is the op of specs/again/gate.yaml already\n"


@pytest.mark.parametrize(
    ("name", "text", "broken"),
    [
        (
            "generated/MANIFEST.json",
            "[" * 100_000,
            {"generated": "generated/MANIFEST.json is damaged (", "extension": NOT_EXAMINED},
        ),
        (
            "pyproject.toml",
            "<<<<<<< HEAD",
            {"generated": "pyproject.toml: ", "extension": NOT_EXAMINED},
        ),
        (
            "pyproject.toml",
            "[tool.fusewise]\npackage = 'numpy'\n",
            {
                "generated": "generated is stale: pyproject.toml: package changed",
                "extension": "package is 'numpy': that name is taken",
            },
        ),
        ("specs/again/gate.yaml", "", {"generated": SECOND}),
    ],
)
@pytest.mark.usefixtures("generator", "specs")
def test_a_damaged_project(
    machine: Machine, command: Command, name: str, text: str, broken: Mapping[str, str]
) -> None:
    machine.patch.setattr(doctor, "staleness", STALENESS)
    machine.patch.setattr(doctor.Manifest, "read", READ)
    Path(f"generated/ops/_C{extension.SUFFIX}").touch()
    machine.patch.delenv("FUSEWISE_CUDA")
    for variable, value in machine.place.environ.items():
        machine.patch.setenv(variable, value)
    assert command("generate", "--package", "ops")[0] == 0
    assert command("doctor")[0] == 0
    write_text(Path(name), text)
    code, out, err = command("doctor", "--json", "-")
    assert (code, err) == (1, "")
    findings = {found["subject"]: found for found in json.loads(out)["findings"]}
    assert {subject for subject in findings if findings[subject]["state"] != "ok"} == {*broken}
    for subject, start in broken.items():
        assert findings[subject]["state"] == ("note" if start == NOT_EXAMINED else "broken")
        assert findings[subject]["text"].startswith(start)


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        ("__version__ = '2.10.1+cpu'", "torch 2.10.1+cpu is too old"),
        ("version = 3", "cannot tell the version of the torch in {torch}"),
        (None, "no torch beside {python}"),
    ],
)
def test_a_torch_that_does_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, problem: str
) -> None:
    found = None
    if version:
        (tmp_path / "version.py").write_text(version)
        found = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: found)
    with pytest.raises(BuildError) as error:
        find_torch()
    problem = problem.format(torch=tmp_path, python=toolchain.sys.executable)
    assert str(error.value) == f"{problem}\n  hint: install torch 2.11 or newer"
