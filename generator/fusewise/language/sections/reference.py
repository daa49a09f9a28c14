"""The reference of a spec: a PyTorch expression, which is parsed, checked and printed again.

Generated code never contains the user's text. It contains the tree from Python's parser, printed
after a check that every node is a call of `torch.*`, arithmetic, a name or a number.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping

from fusewise.language.characters import described, first_foreign, what_to_type
from fusewise.language.document import Scalar
from fusewise.language.errors import Location, Problem, Source, SpecError, did_you_mean
from fusewise.language.formula import MAX_DEPTH, MAX_LENGTH
from fusewise.language.model import Code, Reference
from fusewise.language.sections.pytorch import FUNCTIONS

_MODULES = ("torch", "torch.linalg", "torch.nn.functional", "torch.special")
_CONSTANTS = ("torch.inf", "torch.nan", "torch.pi", "torch.e")
_COMPARES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_TOO_DEEP = f"the reference is nested more than {MAX_DEPTH} deep"
_MAX_BITS = 1 << 12  # of whole numbers, which Python computes in full
_FUNCTION = r"[a-z](\w*[^\W_])?"  # other names are of classes, internal, or of functions in place


def may_call(module: str, name: str) -> bool:
    """Whether a reference may call this function of a module of PyTorch."""
    if module == "torch":  # it has functions for anything, beside those of tensors
        return name in FUNCTIONS
    return module in _MODULES and re.fullmatch(_FUNCTION, name) is not None


def parse_reference(scalar: Scalar, names: Mapping[str, str], count: int) -> Reference:
    """The checked reference; `count` is the number of outputs.

    names: the names that the reference may use -> the Python expressions to print for them.

    Raises:
        SpecError: the reference is invalid or has another number of outputs.
    """
    text = scalar.text
    if len(text) > MAX_LENGTH:
        message = f"the reference is longer than {MAX_LENGTH} characters"
        raise SpecError(Problem(message, scalar.location))
    if foreign := first_foreign(text):
        place = text.index(foreign)
        message = f"unexpected character '{foreign}', {described(foreign)}"
        hint = what_to_type(foreign) or "a reference is written in ASCII"
        raise SpecError(scalar.source.problem(message, place, place + 1, hint))
    # An expression may span lines and have comments. In one line it needs no parentheses around it.
    line = re.sub(r"#[^\n]*|\\?\n", lambda found: " " * len(found[0]), text)
    start = len(line) - len(line.lstrip())
    try:
        with warnings.catch_warnings():  # about odd literals, which are errors below
            warnings.simplefilter("ignore")
            expression = ast.parse(line[start:], mode="eval").body
    except SyntaxError as error:
        place = min(start + max(error.offset or 1, 1) - 1, len(text.rstrip()) - 1)
        message = f"the reference is not a Python expression: {error.msg}"
        hint = "it is one expression of PyTorch, such as x * torch.sigmoid(x)"
        raise SpecError(scalar.source.problem(message, place, place + 1, hint)) from None
    except (MemoryError, RecursionError):  # from Python's parser
        raise SpecError(Problem(_TOO_DEEP, scalar.location)) from None
    items = expression.elts if isinstance(expression, ast.Tuple) else [expression]
    if len(items) != count:
        message = f"the reference gives {len(items)} outputs, but the op has {count}"
        raise SpecError(Problem(message, scalar.location))
    checker = _Checker(scalar.part(start, len(text)).source, names)
    outputs = tuple(checker.code(item, checker.checked(item)) for item in items)
    return Reference(outputs, tuple(checker.steps))


class _Checker:
    """Copies an expression node by node, and raises `SpecError` for a node that is not allowed."""

    def __init__(self, source: Source, names: Mapping[str, str]) -> None:
        self.source = source  # of the expression, which is one line
        self.names = names
        self.steps: list[Code] = []

    def code(self, node: ast.expr, checked: ast.expr) -> Code:
        return Code(ast.unparse(checked), self._location(node))

    def checked(self, node: ast.expr, depth: int = 0) -> ast.expr:
        """The checked copy of a node; calls and operations are recorded in `steps`."""
        checked = self._copied(node, depth)
        if not isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.List):
            self.steps.append(self.code(node, checked))
        return checked

    def _copied(self, node: ast.expr, depth: int) -> ast.expr:
        if depth > MAX_DEPTH:
            raise self._error(node, _TOO_DEEP)
        if _bits(node) > _MAX_BITS:
            hint = "write it as a float, such as 1e9"
            raise self._error(node, "this whole number has too many digits", hint)

        def inner(part: ast.expr) -> ast.expr:
            return self.checked(part, depth + 1)

        match node:
            case ast.Constant(value=bool() | int() | float()):
                return node
            case ast.Name(id=name) if name in self.names:
                return ast.parse(self.names[name], mode="eval").body
            case ast.Name(id=name):
                raise self._error(node, f"unknown name '{name}'{did_you_mean(name, self.names)}")
            case ast.UnaryOp(op=op, operand=operand):
                return ast.UnaryOp(op, inner(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(inner(left), op, inner(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _COMPARES):
                return ast.Compare(inner(left), [op], [inner(right)])
            case ast.List(elts=items):
                return ast.List([inner(item) for item in items], ast.Load())
            case ast.Subscript(value=value, slice=ast.Constant(value=int()) as index):
                return ast.Subscript(inner(value), index, ast.Load())
            case ast.Attribute() if _dotted(node) in _CONSTANTS:
                return node
            case ast.Attribute(attr=attribute):
                name = _dotted(node) if _is_function(node) else f"torch.{attribute}"
                hint = f"call torch functions, as in {name}(x)"
                raise self._error(node, "attributes cannot be used in a reference", hint)
            case ast.Call(func=function, args=args, keywords=keywords):
                self._check_function(function)
                named = [self._keyword(keyword, depth + 1) for keyword in keywords]
                return ast.Call(function, [inner(arg) for arg in args], named)
        hint = "it is made of torch calls, arithmetic, comparisons, names, numbers and lists"
        raise self._error(node, "this cannot be used in a reference", hint)

    def _check_function(self, function: ast.expr) -> None:
        module, _, name = _dotted(function).rpartition(".")
        if module not in _MODULES:
            hint = "as in torch.exp(x), torch.nn.functional.silu(x), torch.special.expit(x)"
            raise self._error(function, "a reference calls functions of torch only", hint)
        if not may_call(module, name):
            guess = did_you_mean(name, sorted(FUNCTIONS)) if module == "torch" else ""
            hint = "" if guess else "it calls functions that compute tensors and do nothing else"
            raise self._error(function, f"a reference cannot call '{module}.{name}'{guess}", hint)

    def _keyword(self, keyword: ast.keyword, depth: int) -> ast.keyword:
        """A checked keyword argument: `dim=-1`, `approximate="tanh"`, `bias=None`."""
        match keyword:
            case ast.keyword(arg=str(), value=ast.Constant(value=None)):
                return keyword
            case ast.keyword(arg="out" | "inplace" as name):
                message = f"'{name}' changes a tensor in place, on which other results depend"
                raise self._error(keyword.value, message, "leave it out")
            case ast.keyword(arg=str(), value=ast.Constant(value=str() as text)):
                if text.isidentifier():
                    return keyword
            case ast.keyword(arg=str() as name, value=value):
                return ast.keyword(name, self.checked(value, depth))
        raise self._error(keyword.value, "this keyword argument cannot be used in a reference")

    def _error(self, node: ast.expr, message: str, hint: str = "") -> SpecError:
        return SpecError(Problem(message, self._location(node), hint))

    def _location(self, node: ast.expr) -> Location:
        return self.source.location(node.col_offset, node.end_col_offset or node.col_offset + 1)


def _bits(node: ast.expr, depth: int = 0) -> float:
    """A bound of the bits of a whole number that is made of numbers alone; 0 of all else.

    A number that is nested too deep is refused as such.
    """
    if depth > MAX_DEPTH:
        return 0
    match node:
        case ast.Constant(value=int() as value):
            return value.bit_length()
        case ast.UnaryOp(operand=operand):
            return _bits(operand, depth + 1)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _bits(left, depth + 1), _bits(right, depth + 1)
            match op:
                case ast.Pow():
                    return a * 2.0 ** min(b, 64)
                case ast.LShift():
                    return a + 2.0 ** min(b, 64) if a else 0
                case ast.Mult():
                    return a + b if a and b else 0
            return max(a, b) + 1 if a and b else 0
    return 0


def _is_function(node: ast.expr) -> bool:
    module, _, name = _dotted(node).rpartition(".")
    return may_call(module, name)


def _dotted(node: ast.AST) -> str:
    """The dotted name of a node, such as `torch.nn.functional.silu`; "" for other expressions."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *names]) if isinstance(node, ast.Name) else ""
