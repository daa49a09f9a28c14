"""The texts that a compiler reads are those that decide an output's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from fusewise.build.contents import Contents, content_key, without_key
from fusewise.build.tree import write_text

# `base.h` of the runtime hides that of csrc; a condition hides nothing; nothing includes `apart.h`
FILES = {
    "csrc/op/op.cpp": '#include "op.h"\n  #  include <base.h> // first\n#include <vector>\n',
    "csrc/op/op.h": '#pragma once\n#include "../other/other.h"\n',
    "csrc/other/other.h": '#ifdef A\n#include "../op/op.h"\n#include <fusewise/math.h>\n#endif\n',
    "csrc/base.h": "int base;\n",
    "csrc/apart.h": "\n",
    "runtime/base.h": "int base;\n",
    "runtime/fusewise/math.h": "int math;\n",
}
USED = sorted(FILES.keys() - {"csrc/base.h", "csrc/apart.h"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        write_text(tmp_path / name, text)
    return tmp_path


def of(root: Path) -> list[bytes]:
    return Contents(root / "runtime", root / "csrc").of(root / "csrc/op/op.cpp")


def test_the_same_in_another_folder(root: Path) -> None:
    before = of(root)
    assert len(before) == len(USED)
    for name, text in FILES.items():
        write_text(root / "copy" / name, text)
    assert of(root / "copy") == before


@pytest.mark.parametrize("name", USED)
def test_a_text_that_is_read(root: Path, name: str) -> None:
    before = of(root)
    path = root / name
    path.write_text(f"{path.read_text()}// changed\n")
    assert of(root) != before


@pytest.mark.parametrize("name", sorted(FILES.keys() - set(USED)))
def test_a_text_that_is_not_read(root: Path, name: str) -> None:
    before = of(root)
    (root / name).write_text("// changed\n")
    assert of(root) == before


def test_a_header_that_hides_another(root: Path) -> None:
    before = of(root)
    (root / "runtime/base.h").rename(root / "runtime/vector")
    assert of(root) != before


def test_headers_that_change_places(root: Path) -> None:
    before = of(root)
    base, math = root / "runtime/base.h", root / "runtime/fusewise/math.h"
    texts = base.read_text(), math.read_text()
    math.write_text(texts[0])
    base.write_text(texts[1])
    assert of(root) != before


def test_keys_in_names() -> None:
    key = content_key(b"text")
    assert content_key(b"text") == key != content_key(b"te", b"xt")
    assert without_key(f"ops/a_cpu.cpp.avx2.{key}.o") == "ops/a_cpu.cpp.avx2.o"
    assert without_key("ops/a_cpu.cpp.avx2.o") == "ops/a_cpu.cpp.avx2.o"
