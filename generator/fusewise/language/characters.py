"""Characters that are not ASCII: their names, and the ASCII text to type for look-alikes."""

from __future__ import annotations

import unicodedata

# ASCII text -> characters that resemble it. Normalization (NFKC) finds compatibility forms, such as
# full-width letters.
_LOOK_ALIKES = {
    "a": "аɑ", "b": "Ьƅ", "c": "сϲ", "d": "ԁ", "e": "е", "f": "ꬵ", "g": "ɡ", "h": "һ",
    "i": "іı", "j": "јϳ", "k": "к", "l": "ӏǀ", "m": "м", "n": "ո", "o": "оοօ", "p": "р",
    "q": "ԛ", "r": "г", "s": "ѕ", "t": "т", "u": "ս", "v": "ѵ", "w": "ԝ", "x": "х",
    "y": "уү", "z": "ᴢ", "A": "АΑ", "B": "ВΒ", "C": "СϹ", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ",
    "J": "Ј", "K": "КΚ", "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ",
    "X": "ХΧ", "Y": "ΥҮ", "Z": "Ζ",
    "-": "‐‑‒–—−", "*": "∗×⋅·•✕✖⁎", "/": "÷∕⁄", "<=": "≤⩽", ">=": "≥⩾", "!=": "≠", "==": "≡",
    "**": "↑", "'": "‘’‚′`´", '"': "“”„″", ",": "،", "(": "❨", ")": "❩", ":": "：∶", "_": "‗",
    "sqrt(...)": "√", "pi": "π", "inf": "∞", "and": "∧", "or": "∨", "not": "¬",
}  # fmt: skip
_TYPED = {alike: typed for typed, alikes in _LOOK_ALIKES.items() for alike in alikes}
_SPELLED = {"lamda": "lam"}  # `lambda` is a keyword of Python
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def first_foreign(text: str) -> str:
    """The first character that is not ASCII, or ""."""
    return next((character for character in text if not character.isascii()), "")


def described(character: str) -> str:
    """The code point and the Unicode name: `U+0445 CYRILLIC SMALL LETTER HA`."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".rstrip()


def is_space(character: str) -> bool:
    """True if the character is a space of any width."""
    return unicodedata.category(character) == "Zs"


def is_surrogate(character: str) -> bool:
    """True for half of a pair, in which UTF-16 and JSON write a character beyond U+FFFF."""
    return unicodedata.category(character) == "Cs"


def what_to_type(character: str) -> str:
    """A hint for a character that has an equivalent in ASCII, or ""."""
    if character in _RAISED:
        return f"a power is written '**': x ** {_RAISED.index(character)}"
    typed = _TYPED.get(character) or unicodedata.normalize("NFKC", character)
    if typed.isascii() and len(typed) == 1 and typed.isalnum():
        kind = "letter" if typed.isalpha() else "digit"
        return f"it resembles the ASCII {kind} '{typed}': type that"
    if typed.isascii():
        return f'type "{typed}" instead' if "'" in typed else f"type '{typed}' instead"
    if unicodedata.name(character, "").startswith("GREEK SMALL LETTER "):
        letter = unicodedata.name(character).rpartition(" ")[2].lower()
        return f"spell it: {_SPELLED.get(letter, letter)}"
    return ""
