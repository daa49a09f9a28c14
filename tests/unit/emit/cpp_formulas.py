"""C++ as printers make it, read back as formulas."""

from __future__ import annotations

import re


def as_formula(text: str) -> str:
    """C++ as a printer makes it, in the formula language."""
    text = re.sub(r"\btypes\[(\d+)\]", r"type_\1", text)
    text = re.sub(r"\bhoisted\[(\d+)\]( != T\(0\))?", r"hoisted_\1", text)
    text = re.sub(r"\bT\(([^()]*)\)", r"(\1)", text)
    text = text.replace("rt::", "").replace("aten::", "").replace("INFINITY", "inf")
    text = text.replace("NAN", "nan").replace(" & ", " and ").replace(" | ", " or ")
    text = re.sub(r"\bremainder\b", "mod", text)
    text = re.sub(r'\bdiv\((.*?), "floor"\)', r"floordiv(\1)", text)
    return re.sub(r"!(?!=)", "not ", text)
