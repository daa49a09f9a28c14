"""The code on the pages of the documents runs: each page from top to bottom, in an empty folder.

CONTRIBUTING.md describes the kinds of blocks, "Documents".
"""

from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fusewise.build.toolchain import Toolchain
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += [path for name in ("how-to", "reference") for path in (ROOT / "docs" / name).glob("*.md")]
RUN = [page for page in PAGES if page.stem != "rows"]  # test_docs.py runs that one
LANGUAGES = {"console", "cpp", "json", "pycon", "python", "sh", "text", "toml", "yaml"}
FILE = re.compile(r"# ([\w./-]+\.(?:py|sh|toml|yaml))\n")
NOT_RUN = re.compile(r"<!-- not run: .+ -->\n")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is that of its first line in the page, from 1."""

    language: str
    text: str
    line: int
    runs: bool


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page outside of comments; `<!-- not run: why -->` marks the next block."""
    runs = True
    for token in MarkdownIt().parse(page.read_text()):
        if token.type == "html_block":
            runs = not NOT_RUN.fullmatch(token.content)
        elif token.type == "fence":
            assert token.map
            yield Block(token.info, token.content, token.map[0] + 2, runs)
            runs = True


def pattern(shown: str) -> str:
    """What matches an output: `...` is any text, and as a line any lines."""
    lines = (re.escape(line).replace(r"\.\.\.", ".*") for line in seconds(shown).splitlines())
    return "".join("(.*\n)*?" if line == ".*" else f"{line}\n" for line in lines)


def seconds(text: str) -> str:
    """The text with every time alike."""
    return re.sub(r"\d+(\.\d+)? s\b", "N s", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_are_of_a_known_kind(page: Path) -> None:
    unknown = [
        f"{page}:{block.line}: a block of {block.language or 'no language'}"
        for block in blocks(page)
        if not (block.language in LANGUAGES or block.language.startswith("{"))
        or (block.language == "sh" and not FILE.match(block.text))
    ]
    assert not unknown


def test_excerpts() -> None:
    """The outputs of `explain` and `kernels` that a page describes are real, line by line."""
    found = [*(ROOT / "tests/unit/explain/golden").glob("*.txt")]
    sources = [set(lines(path.read_text())) for path in found]
    sources.append(set(lines((ROOT / "benchmarks/results/kernels-sm90.md").read_text())))
    for block in blocks(ROOT / "docs/how-to/read-explain-and-kernels.md"):
        shown = set(lines(block.text)) - {"..."}
        assert any(shown <= source for source in sources), f"line {block.line}:\n{block.text}"


def lines(text: str) -> list[str]:
    """The lines of a text, with columns of any width."""
    return [re.sub(r"\s+|-{2,}", " ", line).strip() for line in text.splitlines()]


def test_figures() -> None:
    """The page that compares speeds has no figure of its own."""
    measured = (ROOT / "benchmarks/MEASURED.md").read_text()
    for figure in re.findall(r"\b\d+\.\d+\b", (ROOT / "docs/what-it-buys.md").read_text()):
        assert re.search(rf"\b{figure}\b", measured), figure


class Reader:
    """A reader of a page, who types what stands there."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.printed = ""  # by the last Python block
        self.objects = ROOT / "build" / Toolchain.find(os.environ | {"FUSEWISE_CUDA": "0"}).tag
        self.objects.mkdir(parents=True, exist_ok=True)
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.environ = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COLUMNS": "100",
            "FUSEWISE_CUDA": "0",
        }

    def read(self, block: Block) -> None:
        if file := FILE.match(block.text):
            path = self.folder / file[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif kind := KINDS.get(block.language):
            kind(self, block)

    def python(self, block: Block) -> None:
        # with the lines of the page, so that a traceback names them, and kept as in a notebook
        name, source = f"{self.page}, block {block.line}", "\n" * (block.line - 1) + block.text
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        code = compile(source, name, "exec")
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, self.names)
        except Exception:
            pytest.fail(traceback.format_exc(), pytrace=False)
        self.printed = printed.getvalue()

    def text(self, block: Block) -> None:
        """What the Python block above it has printed, if it has printed anything."""
        if self.printed and not re.fullmatch(pattern(block.text), seconds(self.printed)):
            pytest.fail(f"{self.page}:{block.line}: Python prints\n{self.printed}", pytrace=False)
        self.printed = ""

    def pycon(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(
            block.text, self.names, self.page.name, str(self.page), block.line - 1
        )
        said: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
            test, out=said.append, clear_globs=False
        )
        self.names.update(test.globs)
        if said:
            pytest.fail("".join(said), pytrace=False)

    def console(self, block: Block) -> None:
        """Commands after `$ `, each with the output that it prints, or none if all goes well."""
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            if command.startswith("cd "):
                self.folder /= command.removeprefix("cd ")
                continue
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder,
                env=self.environ,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            self.share_objects()
            failed = done.returncode and "error" not in shown
            if failed or (shown and not re.fullmatch(pattern(shown), seconds(done.stdout))):
                where = f"{self.page}:{block.line}: $ {command}"
                pytest.fail(f"{where}\nshould print\n{shown}\nprints\n{done.stdout}", pytrace=False)

    def share_objects(self) -> None:
        """New projects use the object files of the runtime that this repository has."""
        for settings in self.folder.glob("*/pyproject.toml"):
            link = settings.parent / "build" / self.objects.name
            if not link.exists():
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(self.objects)


KINDS: dict[str, Callable[[Reader, Block], None]] = {
    "console": Reader.console,
    "pycon": Reader.pycon,
    "python": Reader.python,
    "text": Reader.text,
}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # as a reader has them
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUSEWISE_CUDA", "0")
    monkeypatch.setenv("FUSEWISE_CACHE_DIR", str(ROOT / "build"))
    reader = Reader(page, tmp_path)
    for block in blocks(page):
        if block.runs:
            reader.read(block)
