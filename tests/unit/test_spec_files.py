"""Files of specs that cannot be read, or have another suffix: errors of these specs alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fusewise
import pytest
from fusewise.generate import spec_files
from fusewise.language.errors import SpecError

Command = Callable[..., tuple[int, str, str]]
LOOP = "specs/loop.yaml:1:1: error: cannot read the file: Too many levels of symbolic links\n"
GONE = "specs/gone.yaml:1:1: error: cannot read the file: No such file or directory\n"
PIPE = "specs/pipe.yaml:1:1: error: expected a regular file\n"
SECRET = "specs/secret.yaml:1:1: error: cannot read the file: Permission denied\n"


@pytest.fixture
def unreadable(specs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two good specs, links to nothing, a pipe and a file that may not be read."""
    (specs / "gone.yaml").symlink_to("nothing.yaml")
    (specs / "loop.yaml").symlink_to("loop.yaml")
    os.mkfifo(specs / "pipe.yaml")
    (specs / "secret.yaml").touch()
    path_open = Path.open

    def refuse(self: Path, *arguments: Any, **options: Any) -> Any:
        if self.name == "secret.yaml":  # permissions do not hold for root
            raise PermissionError(13, "Permission denied", str(self))
        return path_open(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    return specs


@pytest.mark.usefixtures("unreadable")
def test_check_goes_on_after_a_spec_that_cannot_be_read(command: Command) -> None:
    code, out, err = command("check")
    assert (code, err) == (2, GONE + LOOP + PIPE + SECRET)
    assert out.startswith("specs/gate.yaml: ok\nspecs/soft.yaml: ok\n6 specs, 4 with errors (")
    code, out, _ = command("check", "--json", "-")
    assert [len(spec["errors"]) for spec in json.loads(out)["specs"]] == [0, 1, 1, 1, 1, 0]


@pytest.mark.usefixtures("unreadable")
def test_specs_that_cannot_be_read_may_be_named(command: Command) -> None:
    assert command("check", "gate", "gone", "specs/pipe.yaml")[2] == GONE + PIPE
    assert command("check", "specs/loop.yaml", "secret")[2] == LOOP + SECRET
    assert command("explain", "pipe") == (2, "", PIPE)


@pytest.mark.parametrize("arguments", [("generate",), ("generate", "--check"), ("diff",)])
def test_generate_names_all_specs_that_cannot_be_read(
    command: Command, unreadable: Path, arguments: tuple[str, ...]
) -> None:
    (unreadable / "latin.yaml").write_bytes(b"\xe4")
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    latin = "specs/latin.yaml:1:1: error: byte 0xe4 is not UTF-8\n"
    assert err.startswith(GONE + latin)
    assert err.endswith(LOOP + PIPE + SECRET)


@pytest.mark.usefixtures("generator")
def test_a_link_to_a_spec_is_the_spec_of_its_own_name(command: Command, specs: Path) -> None:
    (specs / "gate.yaml").rename("gate.txt")
    (specs / "gate.yaml").symlink_to("../gate.txt")
    assert "+ csrc/gate/gate.math.h\n" in command("generate")[1]
    assert command("generate", "--check")[0] == 0


def test_load_names_all_specs_that_cannot_be_read(unreadable: Path) -> None:
    with pytest.raises(SpecError) as error:
        fusewise.load(unreadable)
    places = [Path(problem.location.path).name for problem in error.value.problems]
    assert places == ["gone.yaml", "loop.yaml", "pipe.yaml", "secret.yaml"]


def test_an_op_may_be_called_beside_a_spec_that_cannot_be_read(
    command: Command, unreadable: Path
) -> None:
    text = "op: twice\ninputs: {x: tensor}\ncompose: {h: gate(soft(x))}\noutputs: [h]\n"
    (unreadable / "twice.yaml").write_text(text)
    assert command("check", "twice")[0] == 0
    (unreadable / "twice.yaml").write_text(text.replace("soft", "gone"))
    assert command("check", "twice")[2] == GONE


def test_a_folder_may_be_called_as_a_spec(command: Command, specs: Path) -> None:
    (specs / "group.yaml").mkdir()
    (specs / "gate.yaml").rename(specs / "group.yaml/gate.yaml")
    assert command("check")[0] == 0
    assert command("check", "specs/group.yaml")[1].startswith("specs/group.yaml/gate.yaml: ok\n")
    Path("gate").mkdir()
    assert command("explain", "gate")[0] == 0
    message = "error: specs/group.yaml is a folder: expected the name or the file of a spec\n"
    assert command("explain", "specs/group.yaml") == (2, "", message)
    assert command("new", "group") == (2, "", "error: specs/group.yaml exists\n")


def test_a_folder_that_cannot_be_read_is_an_error(
    specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else `generate` would remove the files of the ops in it."""
    (specs / "secret").mkdir()
    scan = os.scandir

    def refuse(path: str) -> Any:
        if Path(path).name == "secret":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SpecError) as error:
        spec_files(specs)
    place = (specs / "secret").as_posix()
    assert str(error.value) == f"{place}:1:1: error: cannot read the folder: Permission denied"


@pytest.mark.parametrize("name", ["gate.YAML", "gate.txt", "gate"])
@pytest.mark.parametrize("verb", ["check", "explain"])
def test_a_spec_of_another_suffix(command: Command, specs: Path, verb: str, name: str) -> None:
    """`generate` does not find it."""
    (specs / "gate.yaml").rename(name)
    message = f"{name}:1:1: error: the name of a spec's file ends in .yaml or .yml\n"
    hint = "  hint: rename the file to gate.yaml\n"
    assert command(verb, name)[::2] == (2, message + hint)
    with pytest.raises(SpecError) as error:
        fusewise.load(name)
    assert f"{error.value}\n" == message + hint
