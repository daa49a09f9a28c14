"""The steps of a package's build, as a ninja file.

Not torch's `BuildExtension`: it refuses CUDA sources beside a CPU-only torch and does not see a
changed header there.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fusewise.build.contents import Contents, content_key
from fusewise.build.ninja import BuildError
from fusewise.build.toolchain import CAPABILITIES, Toolchain, capability_defines
from fusewise.build.tree import write_text
from fusewise.folders import runtime_dir

# The runtime's files on ATen are two to the compiler, which take about equally long, and those of
# CUDA are one: most of their time goes to the headers. The three are beside the ninja files, where
# no output is.
WITH_AUTOGRAD = ("autograd.cpp", "module.cpp")
ON_ATEN = ("runtime/python.cpp", "runtime/torch.cpp")
PART = ".part"  # what a compiler writes, until it ends


@dataclass(frozen=True, slots=True)
class Plan:
    """A ninja file, and all that its steps give; the module is the last."""

    text: str
    outputs: tuple[str, ...]


def plan_build(package: str, csrc: Path, folder: Path, toolchain: Toolchain) -> Plan:
    """The steps of a package, run in the folder of object files; the last one gives the module.

    Raises:
        BuildError: there is nothing to compile.
    """
    steps = _Steps(toolchain, csrc)
    sources = _sources(package, csrc, folder, (".cpp", ".cu") if toolchain.nvcc else (".cpp",))
    if not any(name.startswith(f"{package}/") for name in sources):
        raise BuildError(f"nothing to compile in {csrc}: run `fusewise generate` first")
    linked: list[str] = []
    for name, path in sources.items():
        flags = ""
        if name.endswith("_torch.cpp"):
            # it has calls and data alone; that of a large formula would take minutes with -O1
            flags = "-O0"
        elif name in ON_ATEN:
            flags = "-O1"  # -O3 takes a third longer, and a call as long
        elif name.endswith("_cpu.cpp"):
            flags = capability_defines(toolchain.capabilities)
            if toolchain.capabilities and not name.startswith("runtime/"):
                flags += "-O1"  # for processors that are slow anyway; -O3 takes half as long again
        linked.append(steps.add(name, path, path.name, flags))
        for capability in toolchain.capabilities if name.endswith("_cpu.cpp") else ():
            # vectors that an op's loops write out gain nothing from -O3, but conversions do
            level = "" if name.startswith("runtime/") else "-O2 "
            flags = f"{level}-DFUSEWISE_CAPABILITY={capability} {CAPABILITIES[capability]}"
            label = f"{path.name} for {capability}"
            linked.append(steps.add(f"{name}.{capability}", path, label, flags))
    steps.link(f"{package}/_C", linked)
    return Plan("\n".join(steps.lines) + "\n", tuple(steps.outputs))


def _sources(package: str, csrc: Path, folder: Path, suffixes: Sequence[str]) -> dict[str, Path]:
    """The files to compile by the name that objects get, those that take long first."""
    runtime = runtime_dir()
    on_aten = sorted((runtime / "fusewise/torch").glob("*.cpp"))
    on_cuda = sorted((runtime / "fusewise/cuda").glob("*.cu"))
    with_autograd, others = ON_ATEN
    joined = {
        with_autograd: [path for path in on_aten if path.name in WITH_AUTOGRAD],
        others: [path for path in on_aten if path.name not in WITH_AUTOGRAD],
        "runtime/cuda.cu": on_cuda if ".cu" in suffixes else [],
    }
    found = {f"{package}/{path.relative_to(csrc)}": path for path in csrc.rglob("*")}
    for path in {*runtime.rglob("*")} - {*on_aten, *on_cuda}:
        found[f"runtime/{path.relative_to(runtime)}"] = path
    for name, paths in joined.items():
        if paths:
            includes = [f"#include <{path.relative_to(runtime)}>\n" for path in paths]
            found[name] = folder / Path(name).name
            write_text(found[name], "".join(includes))
    ordered = sorted(
        found, key=lambda name: (name not in ON_ATEN, found[name].suffix != ".cu", name)
    )
    return {name: found[name] for name in ordered if found[name].suffix in suffixes}


class _Steps:
    """The lines of a ninja file.

    Ninja compares times and commands, and both differ in a copy of a checkout. Therefore the file
    names no sources, and the name of an output has a hash of its contents: an output that exists is
    up to date. `generator` tells ninja to ignore changed commands and missing logs.
    """

    def __init__(self, toolchain: Toolchain, csrc: Path) -> None:
        runtime = runtime_dir()
        self.lines = ["ninja_required_version = 1.5"]
        self.outputs: list[str] = []
        self._contents = Contents(runtime, csrc)
        # the version of torch for its place, as a copied environment is at another one
        self._torch = str(toolchain.torch), (toolchain.torch / "version.py").read_text()
        self._commands: dict[str, bytes] = {}
        self._versions = b"".join(map(_version, filter(None, (toolchain.cxx, toolchain.nvcc))))
        headers = f"-I{shlex.quote(str(runtime))} -I{shlex.quote(str(csrc))}"
        self._rule(
            "cxx",
            f"{shlex.quote(toolchain.cxx)} {toolchain.cxxflags}",
            f"$own {headers} -c $source",
        )
        if toolchain.nvcc:
            self._rule(
                "nvcc",
                f"{shlex.quote(toolchain.nvcc)} {toolchain.nvccflags}",
                f"$own {headers} -c $source",
            )
            self._commands["nvcc"] += toolchain.nvcc_environ.encode()
        self._rule("link", f"{toolchain.link} -shared", "$objects", toolchain.libraries)

    def add(self, name: str, source: Path, label: str, flags: str) -> str:
        """Adds the step that compiles a source, and gives its output."""
        rule = "nvcc" if source.suffix == ".cu" else "cxx"
        key = content_key(self._commands[rule], flags.encode(), *self._contents.of(source))
        values = {"own": flags, "source": shlex.quote(str(source))}
        return self._build(f"{name}.{key}.o", rule, label, values)

    def link(self, name: str, objects: Sequence[str]) -> None:
        """Adds the step that links a module."""
        key = content_key(self._commands["link"], *map(str.encode, objects))
        values = {"objects": shlex.join(objects)}
        self._build(f"{name}.{key}.so", "link", f"{name}.so", values, after=objects)

    def _rule(self, name: str, head: str, files: str, tail: str = "") -> None:
        command = f"{head} {tail}".replace(*self._torch)
        self._commands[name] = command.encode() + self._versions
        # a compiler may be killed while it writes
        output = f"-o $out{PART} {_escape(tail)} && mv $out{PART} $out"
        self.lines += [f"rule {name}", f"  command = {_escape(head)} {files} {output}"]
        self.lines += ["  description = $label", "  generator = 1", ""]

    def _build(
        self,
        output: str,
        rule: str,
        label: str,
        values: Mapping[str, str],
        after: Sequence[str] = (),
    ) -> str:
        order = f" || {' '.join(map(_path, after))}" if after else ""
        self.lines.append(f"build {_path(output)}: {rule}{order}")
        values = {"label": label, **values}
        self.lines += [f"  {name} = {_escape(value)}" for name, value in values.items()]
        self.outputs.append(output)
        return output


def _escape(text: str) -> str:
    return text.replace("$", "$$")


def _path(text: str) -> str:
    return _escape(text).replace(" ", "$ ").replace(":", "$:")


def _version(compiler: str) -> bytes:
    """What a compiler says of itself: another one may take its place. Nothing if it cannot run."""
    try:
        return subprocess.run([compiler, "--version"], capture_output=True, check=False).stdout
    except OSError:
        return b""
