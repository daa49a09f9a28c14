"""Limits on the length of files, lines and functions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE, MAX_FUNCTION = 400, 60  # lines
MAX_COLUMNS = 120  # of a line of C++; ruff knows those of Python
CODE = (".py", ".h", ".cuh", ".cpp", ".cu")


def files(*folders: str) -> list[Path]:
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return [path for path in paths if path.suffix in CODE]


NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|concept|extern)\b")


def test_a_file_is_short() -> None:
    paths = files("generator", "runtime", "tests")
    lines = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in paths}
    assert [name for name, count in lines.items() if count > MAX_FILE] == []


def test_a_line_is_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files("runtime", "tests")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if path.suffix != ".py" and len(line) > MAX_COLUMNS
    ]
    assert long == []


def test_a_function_is_short() -> None:
    long = []
    for path in files("generator", "runtime"):
        lengths = python_functions if path.suffix == ".py" else cpp_functions
        for line, count in lengths(path.read_text()).items():
            if count > MAX_FUNCTION:
                long.append(f"{path.relative_to(ROOT)}:{line}")
    assert long == []


def python_functions(text: str) -> dict[int, int]:
    """{first line: number of lines} of each function of a Python file."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return {node.lineno: (node.end_lineno or 0) + 1 - node.lineno for node in functions}


def cpp_functions(text: str) -> dict[int, int]:
    """The same for C++: an outermost block that is not a namespace, type or list of values."""
    text = NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lengths: dict[int, int] = {}
    opened: list[tuple[int, bool]] = []  # (start, is a function) of each open block
    start = 0  # the start of the statement
    for found in re.finditer(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|[{};]", text, re.MULTILINE):
        sign = found[0]
        if sign == "{":
            head = text[start : found.start()]
            inside = any(function for _, function in opened)
            function = not inside and ")" in head and not SCOPE.search(head.rpartition(">")[2])
            opened.append((start + len(head) - len(head.lstrip()), function))
        elif sign == "}" and opened:
            begin, function = opened.pop()
            if function:
                line = text.count("\n", 0, begin) + 1
                lengths[line] = text.count("\n", begin, found.end()) + 1
        start = found.end()
    return lengths


def test_functions_are_found() -> None:
    source = "namespace a {\nstruct S {\n  int f(int x) {\n    if (x) { g(); }\n  }\n};\n}\n"
    assert cpp_functions(source) == {3: 3}
    assert python_functions("def f():\n    def g():\n        pass\n") == {1: 3, 2: 2}
