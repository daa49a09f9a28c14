"""The settings of a project: what they say, what they decide, and mistakes in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fusewise.build.settings import Settings

Command = Callable[..., tuple[int, str, str]]
TEXT = '[project]\nversion = "1.2"\n[tool.fusewise]\npackage = "my_ops"\narchs = "80 90"\n'


def write(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text)
    return folder / "generated"


def test_what_a_project_says(tmp_path: Path) -> None:
    assert Settings.read(write(tmp_path, TEXT)) == Settings("my_ops", "80 90", "1.2")


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        '[project]\nversion = "1.2"\n[tool.ruff]\n',
        "tool = 1\n",
        "project = 1\ntool = []\n",
    ],
)
def test_a_project_of_something_else(tmp_path: Path, text: str | None) -> None:
    tree = tmp_path / "generated" if text is None else write(tmp_path, text)
    assert Settings.read(tree) == Settings()


@pytest.mark.usefixtures("generator", "specs")
def test_the_package_is_that_of_the_settings(command: Command, tmp_path: Path) -> None:
    write(tmp_path, TEXT)
    assert command("generate")[0] == 0
    assert (tmp_path / "generated/my_ops/__init__.py").exists()
    refused = "error: package is 'my_ops' in pyproject.toml\n"
    assert command("generate", "--package", "others") == (2, "", refused)


@pytest.mark.usefixtures("generator", "specs")
@pytest.mark.parametrize(
    ("key", "old", "new"), [("package", "my_ops", "our_ops"), ("version", "1.2", "1.3")]
)
def test_other_settings_make_a_tree_stale(
    command: Command, tmp_path: Path, key: str, old: str, new: str
) -> None:
    write(tmp_path, TEXT)
    command("generate")
    write(tmp_path, TEXT.replace(old, new))
    code, _, err = command("build")
    assert code == 2
    assert f"generated is stale; run `fusewise generate`:\n  pyproject.toml: {key} changed" in err
    assert command("generate", "--check")[0] == 1
    assert command("generate")[0] == 0
    assert command("generate", "--check")[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a = {'[' * 100_000}", "pyproject.toml: "),
        ("[tool.fusewise\n", "pyproject.toml: Expected ']' at the end of a table declaration"),
        (
            '[tool.fusewise]\npakage = "a"\n',
            "pyproject.toml: [tool.fusewise] has no key 'pakage'; did you mean 'package'?\n",
        ),
        (
            '[tool.fusewise]\nspecs = "a"\n',
            "pyproject.toml: [tool.fusewise] has no key 'specs'; it has package, archs\n",
        ),
        (
            '[tool.fusewise]\npackage = "a"\narchs = [80, 90]\n',
            "pyproject.toml: archs is [80, 90]: expected a string\n",
        ),
        (
            "[tool]\nfusewise = true\n",
            "pyproject.toml: fusewise is True: expected [tool.fusewise]\n",
        ),
    ],
)
def test_mistakes(command: Command, tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, text)
    code, out, err = command("generate")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
