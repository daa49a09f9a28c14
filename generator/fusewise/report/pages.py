"""A report as text: one HTML file that refers to no other, or a page of Markdown.

The templates are beside this module. They are not in `templates/`, whose hashes decide whether a
generated tree is stale.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from fusewise import __version__
from fusewise.report.blocks import Page


def html_page(page: Page) -> str:
    """The text of the file. It depends on nothing but the page and the version."""
    return _environment("html").get_template("page.html.j2").render(page=page, version=__version__)


def markdown_page(page: Page) -> str:
    """The page of an op; its figures are files beside it."""
    return _environment("markdown").get_template("page.md.j2").render(page=page)


def markdown_index(families: Mapping[str, Sequence[Page]]) -> str:
    """The table of all ops by family, with a link to each page and a thumbnail."""
    return _environment("markdown").get_template("index.md.j2").render(families=families)


def _environment(language: str) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=language == "html",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"inline": _inline, "cell": _cell}
    return environment


def _inline(text: str) -> Markup:
    """A text whose backticks enclose code, in HTML."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _cell(text: str) -> str:
    """A text in a table of Markdown."""
    return text.replace("|", "\\|").replace("<", "\\<")
