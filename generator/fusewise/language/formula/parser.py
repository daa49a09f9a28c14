"""The parser of formulas, which have the syntax of Python's expressions."""

from __future__ import annotations

import keyword

from fusewise.language.errors import Location, Problem, Source, SpecError
from fusewise.language.formula.tokens import Token, Tokens
from fusewise.language.formula.tree import (
    BINARY,
    COMPARE,
    IF,
    NOT,
    OR,
    POWER,
    SIGN,
    Call,
    Expr,
    Name,
    Number,
)

MAX_DEPTH = 100


def parse_formula(
    text: str, source: Source | str = "<formula>", *, in_compose: bool = False
) -> Expr:
    """The tree of a formula. `source` is its place; a plain path means that the text is the file.

    Under `compose` an argument may be a list, which reads as a call of `list`.

    Raises:
        SpecError: the text is no formula.
    """
    if isinstance(source, str):
        source = Source.of(text, source)
    return _Parser(text, source, in_compose).formula()


class _Parser(Tokens):
    """Precedence climbing over the tokens, stopping at the first mistake."""

    def __init__(self, text: str, source: Source, in_compose: bool) -> None:
        super().__init__(text, source, in_compose)
        self.nesting = 0

    def formula(self) -> Expr:
        if len(self.tokens) == 1:
            raise self.error("the formula is empty", self.current)
        expr = self._expression()
        if self.current.kind != "end":
            raise self.unexpected("an operator")
        self._check_depth(expr)
        return expr

    def _expression(self) -> Expr:
        start = self._enter()
        value = self._binary(OR)
        if self.accept("if"):
            condition = self._binary(OR)
            if not self.accept("else"):
                raise self.unexpected("'else'", hint="a choice is written 'a if condition else b'")
            value = Call("where", (condition, value, self._expression()), self.span(start))
        self.nesting -= 1
        return value

    def _binary(self, loosest: int) -> Expr:
        start = self.current
        left = self._prefix(loosest)
        while self.current.text in BINARY:
            level, function = BINARY[self.current.text]
            if level < loosest:
                break
            self.take()
            right = self._exponent() if level == POWER else self._binary(level + 1)
            left = Call(function, (left, right), self.span(start))
            if level == COMPARE:
                self._check_chain()
        return left

    def _exponent(self) -> Expr:
        self._enter()
        expr = self._binary(SIGN)  # it may carry a sign: 2 ** -1
        self.nesting -= 1
        return expr

    def _prefix(self, loosest: int) -> Expr:
        start = self._enter()
        expr: Expr
        if self.current.text == "not":
            if loosest > NOT:
                raise self.error("'not' needs parentheses here", self.current)
            self.take()
            expr = Call("logical_not", (self._binary(NOT),), self.span(start))
        elif self.accept("-"):
            expr = Call("neg", (self._binary(SIGN),), self.span(start))
        elif self.accept("+"):
            expr = self._binary(SIGN)
        else:
            expr = self._atom()
        self.nesting -= 1
        return expr

    def _atom(self) -> Expr:
        token = self.current
        if token.kind == "number":
            return Number(self.number(self.take()), self.source.location(token.start, token.end))
        if token.kind == "name" and not keyword.iskeyword(token.text):
            self.take()
            if self.current.text == "(":
                self.take()
                args = self._items(token, ")")
                return Call(token.text, args, self.span(token))
            return Name(token.text, self.source.location(token.start, token.end))
        if self.accept("("):
            expr = self._expression()
            if self.current.text == ",":
                raise self.unexpected("an operator")
            if not self.accept(")"):
                raise self.unclosed(token)
            return expr
        if token.text == "[" and self.in_compose:
            self.take()
            return Call("list", self._items(token, "]"), self.span(token))
        raise self.unexpected("a value")

    def _items(self, opening: Token, closing: str) -> tuple[Expr, ...]:
        """The arguments after an opening bracket, and the closing one."""
        bracket = self.tokens[self.position - 1]
        items: list[Expr] = []
        while not self.accept(closing):
            if items and not self.accept(","):
                raise self.unclosed(bracket)
            if items and self.accept(closing):
                break
            first = self.current
            items.append(self._expression())
            if self.current.text == "=":
                raise self.keyword_argument(opening, first)
        return tuple(items)

    def _enter(self) -> Token:
        self.nesting += 1
        if self.nesting > 2 * MAX_DEPTH:  # each parenthesis passes here twice
            raise self._too_deep(self.source.location(self.current.start, self.current.end))
        return self.current

    def _check_depth(self, expr: Expr) -> None:
        pending = [(expr, 1)]
        while pending:
            node, depth = pending.pop()
            if depth > MAX_DEPTH:
                raise self._too_deep(node.location)
            if isinstance(node, Call):
                pending.extend((arg, depth + 1) for arg in node.args)

    def _too_deep(self, location: Location) -> SpecError:
        message = f"the formula is nested more than {MAX_DEPTH} deep"
        return SpecError(Problem(message, location, "give parts of it a name under 'let'"))

    def _check_chain(self) -> None:
        if BINARY.get(self.current.text, (IF,))[0] == COMPARE:
            hint = "join two comparisons with 'and': a < b and b < c"
            raise self.error("comparisons cannot be chained", self.current, hint=hint)
