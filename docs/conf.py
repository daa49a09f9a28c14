"""Sphinx's settings for the site of the documentation, which `make docs` builds.

The source folder is that of the repository, so a link between two pages is the same here and in a
checkout. A page may have a line `<!-- reference: NAME -->`: the site has there what `from_code`
makes from the code.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

from from_code import PARTS

ROOT = Path(__file__).resolve().parents[1]

project = "Fusewise"
project_copyright = "The Fusewise developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = ["docs/**", "benchmarks/*.md", "benchmarks/results/kernels-sm90.md"]
include_patterns += ["specs/README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
exclude_patterns = [".*", "build", "generated", "generator", "runtime", "templates", "tests"]
myst_heading_anchors = 4  # as GitHub makes them
autodoc_typehints_format = "short"
add_module_names = False
smartquotes = False  # an apostrophe may be that of a derivative

html_theme = "furo"
html_title = "Fusewise"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]


def write_pages(app: Sphinx) -> None:
    """Writes the gallery, which takes a minute, if Sphinx is called with `-t gallery`."""
    if not app.tags.has("gallery"):
        app.config.exclude_patterns.append("docs/gallery")
        return
    from fusewise.report.gallery import write_gallery

    folder = ROOT / "docs/gallery"
    shutil.rmtree(folder, ignore_errors=True)
    write_gallery(ROOT / "specs", folder, ROOT / "benchmarks/results")
    with (folder / "index.md").open("a") as index:
        index.write("\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n")


def fill_in(app: Sphinx, _: str, source: list[str]) -> None:
    """Replaces the lines that ask for a part of the reference, and for the gallery."""
    gallery = "gallery/index" if app.tags.has("gallery") else ""
    parts = PARTS | {"gallery": lambda: gallery}
    pattern = re.compile(r"^<!-- reference: (\w+) -->$", re.MULTILINE)
    source[0] = pattern.sub(lambda line: parts[line[1]](), source[0])


def redirect(app: Sphinx, failed: Exception | None) -> None:
    """The root of the site leads to its index, which lies in docs/ as in the repository."""
    if not failed:
        to = f'<meta http-equiv="refresh" content="0; url={root_doc}.html">\n'
        (Path(app.outdir) / "index.html").write_text(f"<!doctype html>\n{to}")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_pages)
    app.connect("source-read", fill_in)
    app.connect("build-finished", redirect)
