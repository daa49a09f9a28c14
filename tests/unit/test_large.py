"""Large passes: compiling them with inlined functions would take minutes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fusewise import pipeline
from fusewise.cli import main
from fusewise.emit.cpp import LARGE_PASS
from fusewise.emit.printing import OUTLINED
from fusewise.generate import render_specs
from fusewise.language.errors import SpecError
from fusewise.language.model import Spec
from fusewise.language.spec import parse_spec
from fusewise.pipeline import LONG_PASS, compile_spec

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = ("tanh", "sigmoid", "exp", "sin", "erf", "softplus", "gelu")


def text_of(terms: int) -> str:
    """The spec of a sum of `terms` terms, in steps because the depth of a formula is limited."""
    lines = ["op: large", "inputs: {x: tensor, y: tensor}", "let:"]
    for first in range(0, terms, 20):
        sums = [f"s{first - 20}"] if first else []
        for k in range(first, min(first + 20, terms)):
            sums.append(f"{FUNCTIONS[k % 7]}({1 + k / 1000} * x + {k / 100} * y)")
        lines.append(f"  s{first}: {' + '.join(sums)}")
    return "\n".join([*lines, f"outputs: {{out: 2 * s{(terms - 1) // 20 * 20}}}", ""])


def spec_of(terms: int) -> Spec:
    return parse_spec(text_of(terms), "large.yaml")


def files_of(terms: int) -> dict[str, str]:
    return render_specs({"large.yaml": text_of(terms)}, "large_ops")


def test_a_large_pass_calls_its_functions() -> None:
    files = files_of(60)
    math = files["csrc/large/large.math.h"]
    assert "#include <fusewise/math/outlined.h>" in math
    assert set(re.findall(r"rt::outlined::(\w+)", math)) <= OUTLINED
    assert not OUTLINED.intersection(re.findall(r"rt::(\w+)\(", math))


def test_a_pass_that_is_not_large_inlines_them() -> None:
    files = files_of(3)
    assert all("outlined" not in text for text in files.values())


def test_no_op_of_ours_is_large() -> None:
    """So their machine code does not depend on how large passes are compiled."""
    for path in (ROOT / "generated" / "csrc").rglob("*.math.h"):
        counts = re.findall(r"kInstructions = (\d+);", path.read_text())
        assert max(map(int, counts), default=0) < LARGE_PASS / 2, path.name


def test_the_header_has_every_function_that_is_called() -> None:
    header = (ROOT / "runtime/fusewise/math/outlined.h").read_text()
    assert set(re.findall(r"^RT_(?:UNARY|BINARY)\((\w+)\)$", header, re.MULTILINE)) == OUTLINED


def test_a_formula_that_takes_long_to_compile_is_told() -> None:
    assert compile_spec(spec_of(40)).warnings == ()
    (warning,) = compile_spec(spec_of(100)).warnings
    shown = str(warning)
    assert re.match(r"large\.yaml:\d+:\d+: warning: this takes a compiler minutes: the \w+ ", shown)
    assert shown.endswith("hint: split the op in two")


def test_check_and_generate_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "large.yaml").write_text(text_of(100))
    for arguments in (
        ["check", str(specs)],
        ["generate", str(specs), "--package", "l_ops", "--tree", str(tmp_path / "tree")],
    ):
        with pytest.raises(SystemExit) as done:
            main(arguments)
        assert not done.value.code
        assert "warning: this takes a compiler minutes" in capsys.readouterr().err
    assert LONG_PASS > LARGE_PASS


def test_too_many_reductions_are_found_before_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The derivatives of 40 nested deviations take seconds."""
    steps = ["  s0: x"]
    steps += [f"  s{k}: (s{k - 1} - mean(s{k - 1})) / std(s{k - 1})" for k in range(1, 41)]
    text = "\n".join(["op: deep", "inputs: {x: tensor}", "let:", *steps, "outputs: {out: s40}", ""])
    monkeypatch.delattr(pipeline, "differentiate")
    with pytest.raises(SpecError, match="the forward reads and writes 82 tensors and results of"):
        compile_spec(parse_spec(text, "deep.yaml"))
