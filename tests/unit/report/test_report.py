"""Reports are valid HTML that refers to nothing outside, and the same every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fusewise.build.tree import write_text
from fusewise.language.spec import load_spec, parse_spec
from fusewise.pipeline import compile_spec
from fusewise.report.blocks import Page
from fusewise.report.content import page_of
from fusewise.report.gallery import write_gallery
from fusewise.report.measured import Measured
from fusewise.report.pages import html_page
from fusewise.report.tables import interface_table
from repository import ROOT, SPECS, compiled

RESULTS = ROOT / "benchmarks/results"
VOID = {"meta", "br", "img"}
BASIC = ["Formula", "Gradients", "Inputs and outputs", "Values and derivatives"]
# Sections besides BASIC and Code of ops that packs, reduce, choose, are composed, have no gradient
# and so on.
KINDS = {
    "swiglu": ["Memory", "Traffic", "Stable forms", "Accuracy", "Speed"],
    "rms_norm": ["Memory", "Traffic", "Accuracy"],
    "rope_qk": ["Memory", "Traffic", "Accuracy", "Speed"],
    "geglu": ["Memory", "Traffic", "Accuracy", "Speed"],
    "gradient_reversal": ["Memory", "Traffic", "Accuracy", "Speed"],
    "silu_and_mul_int8": ["Traffic", "Kinks and edges", "Speed"],
    "cross_entropy": ["Memory", "Traffic", "Kinks and edges", "Accuracy"],
}


@pytest.fixture(scope="module")
def measured() -> Measured:
    return Measured.read(RESULTS)


def report(op: str, measured: Measured) -> Page:
    return page_of(compiled(op), tuple(SPECS.values()), measured)


def of_text(text: str, folder: Path) -> str:
    """The report of a spec that belongs to no project."""
    path = folder / f"{text.split()[1]}.yaml"
    path.write_text(text)
    return html_page(page_of(compile_spec(load_spec(path)), (), Measured()))


class Checker(HTMLParser):
    """Fails if tags are not nested; collects ids and references."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self._take(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._take(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def _take(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href"):
                self.references.append(value or "")
            self.references += re.findall(r"url\((.*?)\)", value or "")


def check(text: str) -> None:
    found = Checker(text)
    assert len(found.ids) == len(set(found.ids))
    assert all(ref.startswith("#") and ref[1:] in found.ids for ref in found.references)
    assert not re.search(r"<script|@import|<link", text)
    for block in re.findall(r"<(?:svg|math)\b.*?</(?:svg|math)>", text, re.DOTALL):
        ET.fromstring(block)


@pytest.mark.parametrize("op", KINDS)
def test_sections(op: str, measured: Measured) -> None:
    page = report(op, measured)
    assert [section.title for section in page.sections] == [*BASIC, *KINDS[op], "Code"]
    text = html_page(page)
    check(text)
    assert text.count("<svg") == len(page.figures)
    assert html_page(report(op, measured)) == text


def test_a_composed_op_has_its_parts(measured: Measured) -> None:
    page = report("lltm", measured)
    titles = [section.title for section in page.sections]
    assert titles == ["Formula", "Parts", "Gradients", "Inputs and outputs", "Code"]
    text = html_page(page)
    check(text)
    assert "<code>lltm_cell</code>: Pointwise part of an LLTM step" in text
    assert "Autograd composes them" in text
    assert "call_op(kLltmCell" in text


def test_measurements_name_machine_and_date(measured: Measured) -> None:
    text = html_page(report("swiglu", measured))
    assert "NVIDIA H200, torch 2.11.0+cu130, 2026-" in text
    assert re.search(r"beside PyTorch eager&#39;s: 2026-\d\d-\d\d, NVIDIA H200", text)


def test_the_plan_is_told(measured: Measured) -> None:
    text = html_page(report("swiglu", measured))
    kept = (
        "keeps <code>x</code>, <code>y</code>, for each element 8 B in float32 or 4 B in bfloat16"
    )
    assert f"The backward {kept}, and has 31 instructions." in text
    assert "<td>20 B</td><td>2.35 GB</td>" in text  # the backward in float32 at typical shapes
    assert "struct Backward {" in text
    assert "op: swiglu" in text


def test_a_spec_without_doc_and_shapes(tmp_path: Path) -> None:
    text = of_text(
        "op: f\ninputs: {x: tensor, m: bool tensor}\noutputs: {out: x if m else 1 / x}\n", tmp_path
    )
    check(text)
    assert "Otherwise x is 1, m is true." in text
    assert "H200" not in text


def test_an_op_of_integers(tmp_path: Path) -> None:
    text = of_text("op: f\ninputs: {i: int tensor}\noutputs: {out: i * i + 1}\n", tmp_path)
    check(text)
    assert "None: no gradient arrives at this op." in text
    assert 'id="memory"' not in text


def test_text_of_a_spec_is_escaped(tmp_path: Path) -> None:
    doc = "Less <b>than</b> & more, `a < b`."
    text = of_text(
        f"op: f\ndoc: '{doc}'\ninputs: {{x: tensor}}\noutputs: {{out: x if x < 1 else 0}}\n",
        tmp_path,
    )
    check(text)
    assert "Less &lt;b&gt;than&lt;/b&gt; &amp; more, <code>a &lt; b</code>." in text


def test_a_pole_is_a_gap(tmp_path: Path) -> None:
    text = of_text("op: f\ninputs: {x: tensor}\noutputs: {out: 1 / (x - 0.01)}\n", tmp_path)
    (svg,) = re.findall(r"<svg\b.*?</svg>", text, re.DOTALL)
    curves = re.findall(r'd="([^"]*)"[^>]*stroke: #1f6feb', svg)
    assert [curve.count("M") for curve in curves] == [2, 2, 2]


def test_the_gallery(tmp_path: Path) -> None:
    for path in ("gated/glu", "norms/rms_norm", "recurrent/lltm", "recurrent/lltm_cell"):
        write_text(tmp_path / f"specs/{path}.yaml", (ROOT / f"specs/{path}.yaml").read_text())
    folder = tmp_path / "gallery"
    write_gallery(tmp_path / "specs", folder, RESULTS)
    files = {path.name: path.read_text() for path in folder.iterdir()}
    pages = {name for name in files if name.endswith(".md")}
    assert pages == {"index.md", "glu.md", "rms_norm.md", "lltm.md", "lltm_cell.md"}
    linked: set[str] = set()
    for name in pages:
        linked |= set(re.findall(r"\]\(([^):]*)\)", files[name]))
        assert "\n\n\n" not in files[name]
    assert linked == files.keys() - {"index.md"}
    for name in files.keys() - pages:
        ET.fromstring(files[name])
    titles = re.findall("^## (.*)", files["index.md"], re.MULTILINE)
    assert titles == ["Gated", "Norms", "Recurrent"]
    assert "[![glu](glu.svg)](glu.md)" in files["index.md"]
    assert "The spec, specs/gated/glu.yaml" in files["glu.md"]
    write_gallery(tmp_path / "specs", tmp_path / "again", RESULTS)
    assert {path.name: path.read_text() for path in (tmp_path / "again").iterdir()} == files


@pytest.mark.parametrize("formula", ["1e306 * x", "1e150 * x ** 64"])
def test_a_huge_value_is_a_gap(formula: str, tmp_path: Path) -> None:
    text = f"op: huge\ninputs: {{x: tensor}}\noutputs: {{out: '{formula}'}}\n"
    check(of_text(text + "test: {domain: {x: [-1000, 1000]}}\n", tmp_path))


def test_a_huge_domain(tmp_path: Path) -> None:
    text = "op: huge\ninputs: {x: tensor}\noutputs: {out: x}\n"
    check(of_text(text + "test: {domain: {x: [-1.5e308, 1.5e308]}}\n", tmp_path))


def test_a_part_without_doc(tmp_path: Path) -> None:
    part = "op: part\ninputs: {x: tensor}\noutputs: {out: 2 * x}\n"
    whole = "op: whole\ninputs: {x: tensor}\ncompose:\n  out: part(x)\noutputs: [out]\n"
    specs = []
    for text in (part, whole):
        path = tmp_path / f"{text.split()[1]}.yaml"
        path.write_text(text)
        specs.append(load_spec(path))
    page = page_of(compile_spec(specs[1], specs), specs, Measured())
    assert "<p><code>part</code></p>" in html_page(page)


def test_an_input_that_learns_in_one_variant() -> None:
    text = """
op: f
inputs: {x: tensor, y: tensor, z: tensor}
params: {p: {type: int, default: 1, choices: [1, 2]}}
outputs: {out: x * stop_grad(z) if p == 1 else x * y}
"""
    table = interface_table(compile_spec(parse_spec(text)))
    learns = table.columns.index("gradient")
    found = {row[0]: row[learns] for row in table.rows if row[1] == "input"}
    assert found == {"`x`": "yes", "`y`": "yes", "`z`": "no"}
