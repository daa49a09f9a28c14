"""A report as text: one HTML file that refers to no other, or a page of Markdown.

The templates are beside this module. They are not in `templates/`, whose hashes decide whether a
generated tree is stale.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup, escape

from fusewise import __version__
from fusewise.emit.render import environment_of
from fusewise.report.blocks import Page


def html_page(page: Page) -> str:
    """The text of the file. It depends on nothing but the page and the version."""
    return (
        _environment(html=True).get_template("page.html.j2").render(page=page, version=__version__)
    )


def markdown_page(page: Page) -> str:
    """The page of an op; its figures are files beside it."""
    return _environment().get_template("page.md.j2").render(page=page)


def markdown_index(families: Mapping[str, Sequence[Page]]) -> str:
    """The table of all ops by family, with a link to each page and a thumbnail."""
    return _environment().get_template("index.md.j2").render(families=families)


def _environment(*, html: bool = False) -> Environment:
    environment = environment_of(Path(__file__).parent, html=html)
    environment.filters |= {"inline": _inline, "cell": _cell}
    return environment


def _inline(text: str) -> Markup:
    """A text whose backticks enclose code, in HTML."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _cell(text: str) -> str:
    """A text in a table of Markdown."""
    return text.replace("|", "\\|").replace("<", "\\<")
