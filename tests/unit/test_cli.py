"""The command line, with a fake generator if the generated files do not matter."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import fusewise
import pytest
from fusewise.build.tree import write_text

GOOD = "op: {op}\ninputs:\n  x: tensor\noutputs:\n  out: x * sigmoid(x)\n"
BAD = "op: bad\ninputs:\n  x: tensor\noutputs:\n  out: x * sigmod(x)\n"

Command = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    "name",
    [
        *("init", "new", "check", "generate", "diff", "build", "test", "explain", "report"),
        *("bench", "accuracy", "kernels", "schema", "doctor", "clean"),
    ],
)
def test_every_command_has_help_with_an_example(command: Command, name: str) -> None:
    code, out, _ = command(name, "--help")
    assert code == 0
    assert f"Example: fusewise {name}" in out
    assert name in command("--help")[1]


def test_version(command: Command) -> None:
    assert command("--version") == (0, f"fusewise {fusewise.__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [("fusewise ge", "generate\n"), ("fusewise explain ga", "gate\n"), ("fusewise test x", "\n")],
)
@pytest.mark.usefixtures("specs")
def test_a_shell_completes_commands_and_ops(
    command: Command, monkeypatch: pytest.MonkeyPatch, words: str, expected: str
) -> None:
    monkeypatch.setenv("_FUSEWISE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    assert command() == (0, expected, "")


@pytest.mark.parametrize("name", ["pyproject.toml", "generated/MANIFEST.json"])
def test_a_shell_completes_no_ops_of_a_damaged_project(
    command: Command, monkeypatch: pytest.MonkeyPatch, specs: Path, name: str
) -> None:
    write_text(specs.parent / name, "<<<<<<< HEAD")
    monkeypatch.setenv("_FUSEWISE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "fusewise explain ga")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert command() == (0, "\n", "")


def test_wrong_use_is_exit_code_2(command: Command) -> None:
    assert command("no-such-command")[0] == 2
    assert command("check", "--no-such-option")[0] == 2


@pytest.mark.parametrize("arguments", [("check", "--json"), ("schema", "--output")])
@pytest.mark.usefixtures("specs")
def test_a_file_that_cannot_be_written(command: Command, arguments: tuple[str, ...]) -> None:
    assert command(*arguments, "specs")[::2] == (2, "error: specs: Is a directory\n")


def test_starting_does_not_import_torch() -> None:
    code = "import fusewise.cli, sys; print(*sys.modules)"
    environ = os.environ | {"PYTHONPATH": str(Path(fusewise.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert not {"torch", "jinja2", "mpmath", "yaml"} & set(loaded.stdout.split())


def test_new_writes_a_spec_that_is_good(command: Command, tmp_path: Path) -> None:
    code, out, _ = command("new", "soft_clip")
    assert code == 0
    assert "wrote specs/soft_clip.yaml" in out
    assert "# " in (tmp_path / "specs/soft_clip.yaml").read_text()
    code, out, err = command("check")
    assert (code, err) == (0, "")
    assert out.startswith("specs/soft_clip.yaml: ok\n1 spec, all good (")


def test_check_says_whether_a_backward_is_proved(command: Command, specs: Path) -> None:
    text = GOOD.format(op="{op}") + "backward:\n  is: derivative\n  grad_x: {gradient}\n"
    proved = "grad_out * (sigmoid(x) + x * dsigmoid(x))"
    (specs / "equal.yaml").write_text(text.format(op="equal", gradient=proved))
    checked = "grad_out * sigmoid(x) * (1 + x * (1 - sigmoid(x)))"
    (specs / "other.yaml").write_text(text.format(op="other", gradient=checked))
    code, out, _ = command("check", "equal", "other")
    assert code == 0
    assert "specs/equal.yaml: ok, its backward is proved\n" in out
    assert re.search(r"^specs/other.yaml: ok, its backward is checked at \d+ points$", out, re.M)


def test_check_compares_the_reference(command: Command, specs: Path) -> None:
    text = GOOD + "test: {{domain: {{x: [-8, 8]}}, reference: {reference}}}\n"
    right, wrong = "torch.nn.functional.silu(x)", "torch.nn.functional.gelu(x)"
    (specs / "equal.yaml").write_text(text.format(op="equal", reference=right))
    (specs / "other.yaml").write_text(text.format(op="other", reference=wrong))
    code, out, err = command("check", "equal", "other")
    assert code == 2
    assert re.search(r"^specs/equal.yaml: ok, its reference agrees at \d+ points$", out, re.M)
    assert err.startswith("specs/other.yaml:6:41: error: the reference of 'out' differs from")


def test_check_says_nothing_of_a_missing_numpy(specs: Path) -> None:
    text = GOOD.format(op="silu") + "test: {reference: torch.nn.functional.silu(x)}\n"
    (specs / "silu.yaml").write_text(text)
    code = "import sys; sys.modules['numpy'] = None; from fusewise.cli import main; main()"
    environ = os.environ | {"PYTHONPATH": str(Path(fusewise.__file__).parents[1])}
    command = [sys.executable, "-c", code, "check", str(specs / "silu.yaml")]
    run = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_schema_is_printed_or_written(command: Command, tmp_path: Path) -> None:
    code, out, _ = command("schema")
    assert code == 0
    assert json.loads(out)["title"] == "A spec of Fusewise"
    assert command("schema", "--output", "a/b.json") == (0, "wrote a/b.json\n", "")
    assert (tmp_path / "a/b.json").read_text("utf-8") == out


def test_new_overwrites_nothing(command: Command, specs: Path) -> None:
    before = (specs / "gate.yaml").read_text()
    assert command("new", "gate") == (2, "", "error: specs/gate.yaml exists\n")
    assert (specs / "gate.yaml").read_text() == before


def test_new_reads_no_specs_beside_a_new_folder(command: Command, specs: Path) -> None:
    for folder in ("first", "second"):  # two packages, which may have an op of the same name
        (specs.parent / folder).mkdir()
        (specs.parent / folder / "gate.yaml").write_text(GOOD.format(op="gate"))
    code, out, err = command("new", "gate", "--specs", "third")
    assert (code, err) == (0, "")
    assert out.startswith("wrote third/gate.yaml\n")


def test_specs_in_subfolders(command: Command, specs: Path) -> None:
    code, out, _ = command("new", "soft_clip", "--specs", "specs/gated")
    assert code == 0
    assert out.startswith("wrote specs/gated/soft_clip.yaml\n")
    (specs / "gate.yaml").rename(specs / "gated/gate.yaml")
    (specs / "calls").mkdir()
    (specs / "calls/twice.yaml").write_text(
        "op: twice\ninputs: {x: tensor}\ncompose: {h: gate(soft(x))}\noutputs: [h]\n"
    )
    for arguments in ((), ("specs",), ("specs/calls",), ("specs/calls/twice.yaml",), ("twice",)):
        code, out, err = command("check", *arguments)
        assert (code, err) == (0, ""), "the other specs of the package may be called"
        assert "specs/calls/twice.yaml: ok\n" in out
    assert command("explain", "twice")[0] == 0
    assert command("explain", "gate")[0] == 0
    assert command("new", "gate") == (2, "", "error: specs/gated/gate.yaml exists\n")
    assert command("explain", "gat")[2].endswith("; did you mean 'gate'?\n")
    (specs / "gate.yaml").write_text(GOOD.format(op="gate"))
    for arguments in (("check",), ("generate",), ("explain", "soft"), ("new", "other")):
        code, _, err = command(*arguments)
        assert code == 2
        message = "specs/gated/gate.yaml:1:1: error: 'gate' is the op of specs/gate.yaml already\n"
        assert err.startswith(message)


@pytest.mark.parametrize("op", ["pi", "Gate", "int", "../gate", "a__b"])
def test_new_refuses_names_that_are_taken_or_none(
    command: Command, tmp_path: Path, op: str
) -> None:
    code, _, err = command("new", op)
    assert code == 2
    assert "error: " in err
    assert list(tmp_path.rglob("*.yaml")) == []


def test_check_goes_on_after_a_bad_spec(command: Command, specs: Path) -> None:
    (specs / "bad.yaml").write_text(BAD)
    code, out, err = command("check", "specs", "specs/gate.yaml")
    assert code == 2
    assert out.splitlines()[:2] == ["specs/gate.yaml: ok", "specs/soft.yaml: ok"]
    assert out.splitlines()[2].startswith("3 specs, 1 with errors (")
    assert err.startswith("specs/bad.yaml:5:12: error: unknown function 'sigmod'")
    assert "did you mean 'sigmoid'" in err
    assert "^~~" in err
    assert "\x1b" not in out + err, "plain where there is no terminal"


@pytest.mark.parametrize("op", ["top", "caller", ""])
def test_check_of_an_op_that_calls_one_with_errors(command: Command, specs: Path, op: str) -> None:
    composed = "op: {}\ninputs:\n  x: tensor\ncompose:\n  h: {}(x)\noutputs: [h]\n"
    (specs / "bad.yaml").write_text(BAD)
    for name, called in [("caller", "bad"), ("top", "caller"), ("other", "gate")]:
        (specs / f"{name}.yaml").write_text(composed.format(name, called))
    code, out, err = command("check", *[op] * bool(op))
    assert code == 2
    assert out.splitlines()[-1].startswith("1 spec, 1 with" if op else "6 specs, 3 with errors (")
    assert [line for line in err.splitlines() if "error: " in line] == [
        "specs/bad.yaml:5:12: error: unknown function 'sigmod'; did you mean 'sigmoid'?"
    ]
    assert command("check", "other")[0] == 0
    assert command("explain", "top")[2] == err


def test_specs_may_end_in_yml(command: Command, specs: Path) -> None:
    (specs / "brief.yml").write_text(GOOD.format(op="brief"))
    assert command("check")[1].splitlines()[0] == "specs/brief.yml: ok"
    (specs / "brief.yml").write_text(GOOD.format(op="terse"))
    assert "hint: rename the file to terse.yml, or write op: brief\n" in command("check")[2]


@pytest.mark.parametrize("stem", ["a-b", "ä", "matmul", "gate_backward"])
def test_a_name_that_no_op_may_have_is_no_hint(command: Command, specs: Path, stem: str) -> None:
    (specs / f"{stem}.yaml").write_text(GOOD.format(op="brief"))
    assert command("check")[2].endswith("\n  hint: rename the file to brief.yaml\n")


def test_check_writes_json(command: Command, specs: Path, tmp_path: Path) -> None:
    (specs / "bad.yaml").write_text(BAD)
    code, out, err = command("check", "--json", "-")
    assert code == 2
    assert err.startswith("specs/bad.yaml:5:12: error: ")
    bad, gate, soft = json.loads(out)["specs"]
    assert gate == {
        "path": "specs/gate.yaml",
        "errors": [],
        "warnings": [],
        "backward": "",
        "reference_points": 0,
    }
    assert soft == gate | {"path": "specs/soft.yaml"}
    (error,) = bad.pop("errors")
    assert bad == {name: gate[name] for name in bad} | {"path": "specs/bad.yaml"}
    assert error == {
        "message": "unknown function 'sigmod'; did you mean 'sigmoid'?",
        "location": {
            "path": "specs/bad.yaml",
            "line": 5,
            "column": 12,
            "length": 6,
            "text": "  out: x * sigmod(x)",
        },
        "hint": "",
        "severity": "error",
    }
    code, page, _ = command("check", "gate", "--json", "a/check.json")
    assert code == 0
    assert page.startswith("specs/gate.yaml: ok\n1 spec, all good (")
    assert json.loads((tmp_path / "a/check.json").read_text())["specs"] == [gate]


def test_check_of_what_is_not_there(command: Command, tmp_path: Path) -> None:
    message = "error: no specs (*.yaml) in specs; `fusewise new OP` writes one\n"
    assert command("check") == (2, "", message)
    assert command("check", "x.yaml") == (2, "", "error: no spec 'x.yaml' in specs\n")
    for verb in ("check", "explain"):
        assert command(verb, "") == (2, "", "error: no spec '' in specs\n")
    assert command("check", str(tmp_path))[2] == f"error: no specs (*.yaml) in {tmp_path}\n"


@pytest.mark.usefixtures("generator", "specs")
def test_generate_from_a_file(command: Command) -> None:
    message = "error: specs/gate.yaml is a file: expected a folder of specs\n"
    assert command("generate", "specs/gate.yaml") == (2, "", message)


@pytest.mark.usefixtures("generator", "specs")
def test_generate_and_check(command: Command, tmp_path: Path) -> None:
    code, out, _ = command("generate")
    assert code == 0
    assert "+ csrc/gate/gate.math.h" in out
    assert "6 files written or removed, 0 unchanged in generated (" in out
    assert command("generate", "--check") == (0, "generated is fresh\n", "")
    (tmp_path / "specs/gate.yaml").write_text(GOOD.format(op="gate") + "# changed\n")
    code, out, err = command("generate", "--check")
    assert (code, out) == (1, "~ csrc/gate/gate.math.h\n")
    assert err == "generated is stale: run `fusewise generate`\n"


@pytest.mark.usefixtures("generator")
def test_diff_shows_what_generate_would_write(command: Command, specs: Path) -> None:
    code, out, err = command("diff")
    assert (code, err) == (1, "")
    assert "--- /dev/null\n+++ generated/csrc/gate/gate.math.h\n@@ -0,0 +1," in out
    command("generate")
    assert command("diff") == (0, "", "")
    (specs / "gate.yaml").write_text(GOOD.format(op="gate").replace("sigmoid", "tanh"))
    (specs / "soft.yaml").unlink()
    before = {path: path.read_text() for path in Path("generated").rglob("*.*")}
    code, out, err = command("diff")
    assert (code, err) == (1, "")
    assert before == {path: path.read_text() for path in Path("generated").rglob("*.*")}
    files = re.findall(r"^--- (\S+)\n\+\+\+ (\S+)$", out, re.M)
    assert files == [
        ("generated/csrc/gate/gate.math.h", "generated/csrc/gate/gate.math.h"),
        ("generated/csrc/soft/soft.math.h", "/dev/null"),
        ("generated/tests/test_soft.py", "/dev/null"),
        ("generated/MANIFEST.json", "generated/MANIFEST.json"),
    ]
    assert "-  out: x * sigmoid(x)\n+  out: x * tanh(x)\n" in out


@pytest.mark.usefixtures("generator")
def test_generate_refuses_hand_edits(command: Command, specs: Path) -> None:
    command("generate")
    edited = specs.parent / "generated/csrc/gate/gate.math.h"
    edited.write_text("mine")
    (specs / "gate.yaml").write_text(GOOD.format(op="gate") + "# changed\n")
    code, _, err = command("generate")
    assert code == 2
    assert "gate.math.h was edited by hand" in err
    assert edited.read_text() == "mine"
    assert command("generate", "--force")[0] == 0
    assert "changed" in edited.read_text()


def test_a_bad_spec_leaves_every_file_as_it_was(command: Command, specs: Path) -> None:
    (specs / "bad.yaml").write_text(BAD)
    before = sorted(specs.parent.rglob("*"))
    code, _, err = command("generate")
    assert code == 2
    assert err.startswith("specs/bad.yaml:5:12: error: ")
    assert sorted(specs.parent.rglob("*")) == before


@pytest.mark.usefixtures("generator", "specs")
def test_build_refuses_a_stale_tree(command: Command, tmp_path: Path) -> None:
    assert "MANIFEST.json is missing" in command("build")[2]
    command("generate")
    (tmp_path / "specs/new.yaml").write_text(GOOD.format(op="new"))
    code, _, err = command("build")
    assert code == 2
    assert err.splitlines() == [
        "error: generated is stale; run `fusewise generate`:",
        "  specs/new.yaml is new",
    ]


@pytest.mark.usefixtures("specs")
def test_explain_prints_a_page(command: Command) -> None:
    code, out, _ = command("explain", "gate")
    assert code == 0
    lines = out.splitlines()
    titles = [line for line, rule in itertools.pairwise(lines) if rule.startswith("─")]
    assert titles[:3] == ["Formula", "Gradients", "Memory"]
    assert titles[-2:] == ["Passes", "Kernels"]
    assert "grad_x = " in out
    code, out, _ = command("explain", "gate", "--latex")
    assert code == 0
    assert out.startswith("% gate\n\\begin{align*}\n")
