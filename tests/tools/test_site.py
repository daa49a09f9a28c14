"""The site of the documents builds without a warning, and all that its pages name is in it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("sphinx", reason="needs the packages of the extra `docs`")

ROOT = Path(__file__).resolve().parents[2]
# Elements that load what their attribute names; the address of any other one is only a link.
LOADS = {"audio", "embed", "iframe", "img", "link", "object", "script", "source", "video"}


class Page(HTMLParser):
    """The addresses and the ids of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.ids: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "data") and value:
                self.links.append((tag, value))
            if name in ("id", "name") and value:
                self.ids.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, without the gallery."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "."]
    done = subprocess.run([*command, folder], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def broken(pages: dict[Path, Page]) -> Iterator[str]:
    """The local addresses that lead nowhere."""
    for path, page in pages.items():
        for _, address in page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = target.exists() and not target.is_dir()
            found = pages.get(target)
            if not known or (parts.fragment and found and parts.fragment not in found.ids):
                yield f"{path.name}: {address}"


def test_links_lead_somewhere(pages: dict[Path, Page]) -> None:
    assert not list(broken(pages))


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page], site: Path) -> None:
    remote = [
        f"{path.name}: {address}"
        for path, page in pages.items()
        for tag, address in page.links
        if tag in LOADS and urlsplit(address).netloc
    ]
    remote += [
        path.name
        for path in site.rglob("*.css")
        if any(text in path.read_text() for text in ("url(http", "url(//", "@import"))
    ]
    assert not remote


def test_parts_from_the_code(site: Path) -> None:
    commands = (site / "docs/reference/command-line.html").read_text()
    assert 'id="fusewise-explain"' in commands
    assert "span style" not in commands
    keys = (site / "docs/reference/keys.html").read_text()
    assert all(f'id="{section}"' in keys for section in ("inputs", "shapes"))
    assert (site / "index.html").read_text().endswith('url=docs/index.html">\n')
