"""The gallery: a Markdown page for each op, with images beside it, and an index of all ops."""

from __future__ import annotations

from pathlib import Path

from fusewise.build.tree import write_text
from fusewise.generate import read_texts, spec_files
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.report.blocks import Page
from fusewise.report.content import page_of
from fusewise.report.measured import Measured
from fusewise.report.pages import markdown_index, markdown_page


def write_gallery(specs: Path, folder: Path, results: Path) -> None:
    """Writes index.md, a page OP.md for each op, and their images, into a folder.

    specs: the folder of the specs. Each folder in it is a family of ops in the index.
    results: the folder with what `fusewise bench` and `fusewise accuracy` have measured.
    """
    shown = {path: path.relative_to(specs.parent).as_posix() for path in spec_files(specs)}
    texts = read_texts({name: path for path, name in shown.items()})
    found = {path: parse_spec(texts[name], name) for path, name in shown.items()}
    everything = list(found.values())
    measured = Measured.read(results)
    families: dict[str, list[Page]] = {}
    for path, spec in found.items():
        page = page_of(compile_spec(spec, everything), everything, measured)
        families.setdefault(path.parent.relative_to(specs).as_posix(), []).append(page)
        images = {figure.name: figure.svg for figure in page.figures} | {page.op: page.thumbnail}
        for name, svg in images.items():
            if svg:
                write_text(folder / f"{name}.svg", svg)
        write_text(folder / f"{page.op}.md", markdown_page(page))
    write_text(folder / "index.md", markdown_index(dict(sorted(families.items()))))
