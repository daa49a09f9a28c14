"""Views become files in memory, by the templates of a package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fusewise.emit.views import OpView
from fusewise.folders import runtime_dir, templates_dir


def render(views: Sequence[OpView], package: str, version: str = "") -> dict[str, str]:
    """The files of a package by path: csrc/<op>/..., the Python package, and its tests."""
    environment = environment_of(templates_dir())
    library = "fusewise" if package == "fusewise_ops" else package

    def fill(template: str, **values: object) -> str:
        return environment.get_template(template).render(package=package, library=library, **values)

    ops = sorted(views, key=lambda view: view.name)
    files = {}
    for op in ops:
        folder = f"csrc/{op.name}"
        if op.passes:
            files[f"{folder}/{op.name}.math.h"] = fill("op.math.h.j2", op=op)
            files[f"{folder}/{op.name}_cpu.cpp"] = fill("op_cpu.cpp.j2", op=op)
            files[f"{folder}/{op.name}_cuda.cu"] = fill("op_cuda.cu.j2", op=op)
            files[f"{folder}/{op.name}_torch.cpp"] = fill("op_torch.cpp.j2", op=op)
        else:
            files[f"{folder}/{op.name}_torch.cpp"] = fill("compose_torch.cpp.j2", op=op)
        files[f"tests/test_{op.name}.py"] = fill("test_op.py.j2", op=op, test=op.test)
    files[f"{package}/__init__.py"] = fill("package.py.j2", ops=ops, version=version)
    files[f"{package}/py.typed"] = ""
    files[f"{package}/_runtime.py"] = (runtime_dir() / "python" / "_runtime.py").read_text()
    return files


def render_project(package: str) -> dict[str, str]:
    """The files of a new project by path, each from the template of the same path."""
    folder = templates_dir() / "project"
    environment = environment_of(templates_dir())
    files = {}
    for path in sorted(folder.rglob("*.j2")):
        name = path.relative_to(folder).as_posix()
        text = environment.get_template(f"project/{name}").render(package=package)
        files[name.removesuffix(".j2")] = text
    return files


def environment_of(folder: Path, *, html: bool = False) -> Environment:
    """The templates of a folder; an undefined name is an error. html: values are escaped."""
    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
