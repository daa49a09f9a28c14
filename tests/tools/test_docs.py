"""The documents agree with the sources: tables, excerpts and links."""

from __future__ import annotations

import itertools
import re
import statistics
import textwrap
from pathlib import Path

import pytest
from fusewise.derive.rules import RULES
from fusewise.explain.page import explain
from fusewise.generate import spec_files
from fusewise.language.formula import format_expr
from fusewise.language.functions import (
    FORMS,
    FUNCTIONS,
    INTRINSICS,
    REDUCTIONS,
    Function,
    Reduction,
)
from fusewise.language.scope import signature
from fusewise.language.sections.keys import REQUIRED_SECTIONS, SECTIONS
from fusewise.language.spec import load_spec, parse_spec, read_spec
from fusewise.measure.bench.report import OURS, Results
from fusewise.pipeline import compile_spec
from python_function import read

ROOT = Path(__file__).resolve().parents[2]
OPS = [load_spec(path) for path in spec_files(ROOT / "specs")]
PAGES = sorted(
    path
    for folder in (".", "benchmarks", "docs", "docs/how-to", "docs/reference", "specs")
    for path in ROOT.glob(f"{folder}/*.md")
)


def function_table() -> str:
    """The table of functions in docs/spec.md, one row for each."""
    header = (
        "| function | in PyTorch | of integers | ulp | at kinks and edges |\n|---|---|---|---|---|"
    )
    return "\n".join([header, *map(_row, FUNCTIONS.values())])


def _row(primitive: Function) -> str:
    integers = {"same": "integer", "bool": "condition"}.get(primitive.result, "float")
    cells = (
        f"`{signature(primitive.name)}`",
        f"`{primitive.ref}`",
        integers,
        f"{primitive.ulp:g}",
        primitive.convention,
    )
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def test_function_table() -> None:
    page = (ROOT / "docs" / "spec.md").read_text()
    table = function_table()
    assert table in page, f"the table of functions in docs/spec.md should be\n\n{table}"
    assert not [name for name in INTRINSICS if f"{name}(" in page]


def reduction_table() -> str:
    """The table of reductions in docs/spec.md, one row for each."""
    header = "| reduction | in PyTorch | result | at edges |\n|---|---|---|---|"
    return "\n".join([header, *map(_reduction_row, REDUCTIONS.values())])


def _reduction_row(row: Reduction) -> str:
    types = {"float": "", "bool": ", condition", "int": ", integer", "same": ", `same`"}
    result = row.extent + types[row.result]
    cells = (f"`{signature(row.name)}`", f"`{row.ref}`", result, row.convention)
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def test_reductions() -> None:
    page = (ROOT / "docs" / "spec.md").read_text()
    table = reduction_table()
    assert table in page, f"the table of reductions in docs/spec.md should be\n\n{table}"


def test_sections() -> None:
    page = re.sub(r"\[([^]]+)\]\(#[\w-]+\)", r"\1", (ROOT / "docs" / "spec.md").read_text())
    rows = [
        f"| `{section}` | {meaning} | {'yes' if section in REQUIRED_SECTIONS else 'no'} |"
        for section, meaning in SECTIONS.items()
    ]
    table = "\n".join(["| section | holds | needed |\n|---|---|---|", *rows])
    assert table in page, f"the table of sections in docs/spec.md should be\n\n{table}"


def test_special_forms() -> None:
    page = (ROOT / "docs" / "spec.md").read_text()
    rows = [f"| `{signature(form.name)}` | {form.meaning} |" for form in FORMS.values()]
    table = "\n".join(["| function | meaning |\n|---|---|", *rows])
    assert table in page, f"the table of special forms in docs/spec.md should be\n\n{table}"


def rule_table() -> str:
    """The table of rules in docs/numerics.md, one row for each."""
    rows = (
        f"| `{format_expr(rule.pattern)}` | `{format_expr(rule.stable)}` "
        f"| {f'`{format_expr(rule.holds)}`' if rule.holds else 'everywhere'} |"
        for rule in RULES
    )
    return "\n".join(["| written | computed | holds |\n|---|---|---|", *rows])


def test_rules() -> None:
    page = (ROOT / "docs" / "numerics.md").read_text()
    table = rule_table()
    assert table in page, f"the table of rules in docs/numerics.md should be\n\n{table}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_specs(page: Path) -> None:
    """Every complete spec on a page is valid."""
    for block in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL):
        text = textwrap.dedent(block)
        if text.startswith("op:"):
            compile_spec(parse_spec(text), OPS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_functions(page: Path) -> None:
    """Every function on a page that is an op is valid."""
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        if "@fusewise.op" in block:
            code = block.replace("import fusewise\n", "").replace("@fusewise.op", "@op")
            compile_spec(read_spec(read(code), page.name))


def test_readme_shows_what_is_generated() -> None:
    readme = (ROOT / "README.md").read_text()
    path = next(path for path in spec_files(ROOT / "specs") if path.stem == "swiglu")
    assert path.read_text() in readme
    page = explain(compile_spec(load_spec(path)))
    for start, end in (("Gradients", "Roofline"), ("Roofline", "Passes")):
        assert page[page.index(f"\n{start}") : page.index(f"\n{end}")].strip() in readme
    generated = (ROOT / "generated" / "csrc" / "swiglu" / "swiglu.math.h").read_text()
    blocks = re.findall(r"```cpp\n(.*?)```", readme, re.DOTALL)
    assert blocks
    for block in blocks:
        assert block in generated


def test_derivation_shows_the_spec() -> None:
    text = next((ROOT / "specs").rglob("rms_norm.yaml")).read_text()
    assert text in (ROOT / "docs/rows.md").read_text()


def speed_table() -> str:
    """The table of speeds in README.md: each file of benchmarks/results, plain and kept memory."""
    contenders = {"eager": "eager", "compile": "torch.compile", "max-autotune": "max-autotune"}
    contenders["best"] = "the best of each row"
    columns = ["", *contenders.values(), "share of a copy, median"]
    lines = [f"| {' | '.join(columns)} |".replace("|  |", "| |"), "|---" * len(columns) + "|"]
    for device, dtype in itertools.product(("h200", "cpu"), ("bfloat16", "float32")):
        path = ROOT / "benchmarks" / "results" / f"bench-{dtype}-{device}.json"
        results = Results.parse(path.read_text())
        for memory in results.memories:
            cells = [", ".join(filter(None, [device.upper(), dtype, memory]))]
            cells += [_speeds(results, against, memory) for against in contenders]
            shares = [_share(results, direction, memory) for direction in ("forward", "backward")]
            lines.append(f"| {' | '.join([*cells, ' / '.join(shares)])} % |")
    return "\n".join(lines)


def _speeds(results: Results, against: str, memory: str) -> str:
    found = [results.ratios(direction, against, memory) for direction in ("forward", "backward")]
    if not all(found):
        return "-"
    means = (statistics.geometric_mean(ratio for ratio, _ in ratios) for ratios in found)
    return " / ".join(f"{mean:.2f}" for mean in means)


def _share(results: Results, direction: str, memory: str) -> str:
    rows = [row for row in results.rows if (row.direction, row.memory) == (direction, memory)]
    shares = (row.share(OURS) for row in rows)
    return f"{statistics.median(share for share in shares if share):.0%}".rstrip("%")


def test_speeds() -> None:
    page = (ROOT / "README.md").read_text()
    table = speed_table()
    assert table in page, f"the table of speeds in README.md should be\n\n{table}"
