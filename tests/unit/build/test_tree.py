from __future__ import annotations

import json
from pathlib import Path

import pytest
from fusewise.build import tree
from fusewise.build.tree import Manifest, TreeError, check_fresh, compare, staleness, write
from fusewise.language.errors import SpecError

HEAD = "// Generated from specs/a.yaml by `make gen`. Do not edit.\n"
FILES = {"csrc/a/a.cpp": HEAD + "int a;\n", "csrc/b/b.cpp": HEAD + "int b;\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A new tree of two files from two specs."""
    for name in ("a", "b"):
        tree.write_text(tmp_path / f"specs/{name}.yaml", f"op: {name}\n")
    generate(tmp_path / "generated", FILES)
    return tmp_path / "generated"


def generate(root: Path, files: dict[str, str], *, force: bool = False) -> tree.Changes:
    manifest = Manifest.of(root, "my_ops", root.parent / "specs", files)
    return write(root, manifest, files, force=force)


def contents(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and path.name != tree.MANIFEST
    }


def test_what_is_written(root: Path) -> None:
    assert contents(root) == FILES
    assert staleness(root) == ()
    manifest = json.loads((root / tree.MANIFEST).read_text())
    assert manifest["package"] == "my_ops"
    assert manifest["folder"] == "specs"
    assert list(manifest["specs"]) == ["specs/a.yaml", "specs/b.yaml"]
    assert list(manifest["outputs"]) == list(FILES)
    assert not {"build/tree.py", "measure/resources.py"} & set(manifest["generator"])
    assert {"language/formula/parser.py", "plan/cost.py"} <= set(manifest["generator"])
    assert all(len(digest) == 64 for digest in manifest["generator"].values())


def test_a_second_time_nothing_is_written(root: Path) -> None:
    stamps = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    changes = generate(root, FILES)
    assert not changes
    assert changes.unchanged == 2
    assert stamps == {path: path.stat().st_mtime_ns for path in root.rglob("*")}


def test_changes_are_named_and_leftovers_removed(root: Path) -> None:
    new = {"csrc/a/a.cpp": HEAD + "int a2;\n", "csrc/c/c.cpp": HEAD}
    changes = generate(root, new)
    assert contents(root) == new
    assert str(changes).splitlines() == [
        "+ csrc/c/c.cpp",
        "~ csrc/a/a.cpp",
        "- csrc/b/b.cpp",
        "3 files written or removed, 0 unchanged",
    ]
    assert not (root / "csrc/b").exists()


@pytest.mark.parametrize("other", [{}, {"csrc/b/b.cpp": HEAD + "int b2;\n"}], ids=["gone", "new"])
def test_hand_edited_files_are_kept(root: Path, other: dict[str, str]) -> None:
    edited = HEAD + "int mine;\n"
    (root / "csrc/b/b.cpp").write_text(edited)
    new = {"csrc/a/a.cpp": HEAD + "int a2;\n", **other}
    with pytest.raises(TreeError, match=r"b\.cpp was edited by hand"):
        generate(root, new)
    assert contents(root) == FILES | {"csrc/b/b.cpp": edited}, "nothing at all is written"
    generate(root, new, force=True)
    assert contents(root) == new


def test_hand_edits_that_match_are_taken(root: Path) -> None:
    new = FILES | {"csrc/a/a.cpp": HEAD + "int a2;\n"}
    (root / "csrc/a/a.cpp").write_text(new["csrc/a/a.cpp"])
    assert not generate(root, new)
    assert staleness(root) == ()


def test_files_that_fusewise_did_not_make_are_kept(root: Path) -> None:
    mine = root / "csrc/c/c.cpp"
    tree.write_text(mine, "int mine;\n")
    with pytest.raises(TreeError, match=r"c\.cpp was not made by fusewise"):
        generate(root, FILES | {"csrc/c/c.cpp": HEAD})
    assert mine.read_text() == "int mine;\n"


def test_generated_files_that_the_manifest_lost_are_removed(root: Path) -> None:
    tree.write_text(root / "csrc/c/c.cpp", HEAD)  # as a merge leaves it
    assert staleness(root) == (f"{root / 'csrc/c/c.cpp'} is left over",)
    assert generate(root, FILES).removed == ("csrc/c/c.cpp",)
    assert contents(root) == FILES
    assert staleness(root) == ()


def test_a_lost_manifest_is_made_again(root: Path) -> None:
    (root / tree.MANIFEST).unlink()
    assert staleness(root) == (f"{root / tree.MANIFEST} is missing",)
    generate(root, FILES | {"csrc/a/a.cpp": HEAD})
    assert staleness(root) == ()


def test_a_damaged_manifest_is_an_error(root: Path) -> None:
    whole = (root / tree.MANIFEST).read_text()
    changed = {**json.loads(whole), "folder": 2}
    for text in ("<<<<<<< HEAD", '{"package": "x"}', "[1]", json.dumps(changed)):
        (root / tree.MANIFEST).write_text(text)
        with pytest.raises(TreeError, match="damaged"):
            staleness(root)


def test_stale_trees_are_refused_with_what_mends_them(root: Path) -> None:
    specs = root.parent / "specs"
    (specs / "a.yaml").write_text("op: a\ndoc: changed\n")
    (specs / "b.yaml").unlink()
    (specs / "c.yaml").write_text("op: c\n")
    (root / "csrc/a/a.cpp").write_text("edited")
    (root / "csrc/b/b.cpp").unlink()
    with pytest.raises(TreeError) as error:
        check_fresh(root)
    assert str(error.value).splitlines() == [
        f"{root} is stale; run `fusewise generate`:",
        "  specs/a.yaml changed",
        "  specs/b.yaml is gone",
        "  specs/c.yaml is new",
        f"  {root}/csrc/a/a.cpp is edited by hand",
        f"  {root}/csrc/b/b.cpp is missing",
    ]


def test_a_changed_generator_makes_the_tree_stale(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    template = tmp_path / "op.j2"
    template.write_text("new")
    files = tree.tool_files()
    monkeypatch.setattr(tree, "tool_files", lambda: files | {"templates": {"op.j2": template}})
    assert "templates: op.j2 is new" in staleness(root)


def test_specs_of_a_folder_and_below(tmp_path: Path) -> None:
    for name in ("b/a", "a/c", "a/deep/d", "b", ".hidden/e", "a/.f"):
        tree.write_text(tmp_path / f"{name}.yaml", "")
    (tmp_path / "a/notes.txt").touch()
    files = [path.relative_to(tmp_path).as_posix() for path in tree.spec_files(tmp_path)]
    assert files == ["b/a.yaml", "b.yaml", "a/c.yaml", "a/deep/d.yaml"], "by the ops' names"
    assert tree.spec_files(tmp_path / "none") == []


TWICE = """\
specs/gated/gate.yaml:1:{column}: error: 'gate' is the op of specs/bias/gate.yaml already{excerpt}
  hint: a package has one op of a name: rename one of the two"""


def test_two_specs_of_one_op(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "op: gate\ninputs: {x: tensor}\noutputs: {out: 2 * x}\n"
    for group in ("bias", "gated"):
        tree.write_text(Path("specs", group, "gate.yaml"), text)
    with pytest.raises(SpecError) as error:
        tree.spec_files(Path("specs"))
    assert str(error.value) == TWICE.format(column=1, excerpt="")
    # files that are named one by one, as for fusewise.load
    texts = {f"specs/{group}/gate.yaml": text for group in ("bias", "gated")}
    with pytest.raises(SpecError) as error:
        tree.render_specs(texts, "my_ops")
    assert str(error.value) == TWICE.format(column=5, excerpt="\n  op: gate\n      ^~~~")


def test_the_same_bytes_from_any_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / tree.MANIFEST).read_text()
    monkeypatch.chdir(root.parent)
    manifest = Manifest.of(Path("generated"), "my_ops", Path("specs"), FILES)
    assert manifest.text() == text
    assert str(root.parent) not in text
    assert not compare(Path("generated"), FILES)


def test_an_interrupted_write_leaves_the_old_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    tree.write_text(path, "old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tree.write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_file_that_does_not_change_is_not_touched(tmp_path: Path) -> None:
    """Otherwise everything that depends on it would be built again."""
    path = tmp_path / "a.cpp"
    tree.write_text(path, "int α;\n")
    before = path.stat()
    tree.write_text(path, "int α;\n")
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    path.write_bytes(b"int \xce\xb1;\r\n")
    tree.write_text(path, "int α;\n")
    assert path.read_bytes() == "int α;\n".encode()
