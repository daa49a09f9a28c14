"""A Python function read as a spec: arguments are inputs and params, assignments are steps."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from contextlib import suppress
from numbers import Real
from types import FunctionType
from typing import Any

from fusewise.language.document import List, Node, Scalar, Table, invisible_characters
from fusewise.language.errors import Problem, Problems, Source, SpecError
from fusewise.language.formula import CONSTANTS, INDEX, LENGTH
from fusewise.language.python.source import FunctionSource
from fusewise.language.sections.keys import OUTPUT_FORMS, PARAM, PARAM_TYPES

Entries = list[tuple[Scalar, Node]]

_CHOICE = "a choice is written 'a if condition else b'"
_LOOP = "a formula sees one element and reductions of its row, such as sum(x)"
_HINTS = {
    ast.AnnAssign: "a step has no annotation: name = formula",
    ast.AsyncFor: _LOOP,
    ast.AugAssign: "a name has one value: write a new name",
    ast.Expr: "a formula is assigned or returned",
    ast.For: _LOOP,
    ast.If: _CHOICE,
    ast.Match: _CHOICE,
    ast.While: _LOOP,
}


def read_function(function: FunctionType, sections: Mapping[str, Any]) -> tuple[Table, str]:
    """The tree of the spec that a function stands for, and the path that messages show.

    sections: further sections, as Python values; None for one that is absent.

    Raises:
        SpecError: the source cannot be read, or has what the language does not have.
    """
    source = FunctionSource.find(function)
    return _FunctionReader(function, source).document(sections), source.path


class _FunctionReader:
    """Reads one function, and collects the problems."""

    def __init__(self, function: FunctionType, source: FunctionSource) -> None:
        self.function = function
        self.source = source
        self.definition = source.definition
        self.problems = Problems()
        self.inputs: Entries = []
        self.params: Entries = []
        self.known = {*CONSTANTS, INDEX, LENGTH}  # names that formulas may use
        self.outside = _variables(function)

    def document(self, sections: Mapping[str, Any]) -> Table:
        if isinstance(self.definition, ast.AsyncFunctionDef):
            self._report(self.definition, "an op is a plain function, without 'async'")
        entries = [self._entry("op", self.source.scalar(self.definition.name, self.definition))]
        body = self.definition.body
        if doc := ast.get_docstring(self.definition):
            entries.append(self._entry("doc", self.source.scalar(doc, body[0])))
        if doc is not None:
            body = body[1:]
        self._signature()
        entries.append(self._section("inputs", self.inputs))
        if self.params:
            entries.append(self._section("params", self.params))
        let, outputs = self._body(body)
        if let:
            entries.append(self._section("let", let))
        entries.append(self._section("outputs", outputs))
        entries += self._sections(sections)
        document = Table(tuple(entries), self.source.location(self.definition))
        for scalar in _scalars(document):
            self.problems += invisible_characters(scalar)
        if self.problems:
            raise SpecError(*self.problems)
        return document

    def _report(self, node: ast.AST, message: str, hint: str = "") -> None:
        self.problems.append(Problem(message, self.source.location(node), hint))

    def _entry(self, key: str, value: Node) -> tuple[Scalar, Node]:
        return self.source.scalar(key, self.definition), value

    def _section(self, key: str, entries: Entries) -> tuple[Scalar, Node]:
        return self._entry(key, Table(tuple(entries), self.source.location(self.definition)))

    def _value(self, value: Any, node: ast.AST) -> Node:
        """As `FunctionSource.value`, but a value of another type is reported."""
        try:
            return self.source.value(value, node)
        except SpecError as error:
            self.problems += error.problems
            return self.source.scalar("", node)

    # The decorator.

    def _sections(self, sections: Mapping[str, Any]) -> Entries:
        """The sections that the decorator was given, with the places of its keywords."""
        given = {key: value for key, value in sections.items() if value is not None}
        calls = [node for node in self.definition.decorator_list if isinstance(node, ast.Call)]
        places: dict[str | None, ast.AST] = {}
        for call in calls:
            if {*given} <= {keyword.arg for keyword in call.keywords}:
                places = {keyword.arg: keyword.value for keyword in call.keywords}
        entries = []
        for key, value in given.items():
            place = places.get(key, self.definition)
            entries.append((self.source.scalar(key, place), self._value(value, place)))
        return entries

    # The signature.

    def _signature(self) -> None:
        args = self.definition.args
        for stars, arg in (("*", args.vararg), ("**", args.kwarg)):
            if arg is not None:
                message = f"'{stars}{arg.arg}': an op has a fixed number of arguments"
                self._report(arg, message, "name each input and param")
        positional = [*args.posonlyargs, *args.args]
        required = len(positional) - len(args.defaults)
        places = [*[None] * required, *args.defaults, *args.kw_defaults]
        evaluated = inspect.signature(self.function).parameters
        for arg, place in zip((*positional, *args.kwonlyargs), places, strict=True):
            known = self._kind(arg)
            kind = known or self.source.scalar("tensor", arg)
            is_param = _is_param(kind)
            if known and not is_param and arg in args.kwonlyargs:
                self._report(arg, f"'{arg.arg}' is an input, which stands before the '*'")
            if place is not None:
                kind = self._with_default(kind, evaluated[arg.arg].default, place, is_param)
            target = self.params if is_param else self.inputs
            target.append((self.source.scalar(arg.arg, arg), kind))

    def _kind(self, arg: ast.arg) -> Node | None:
        """What an annotation says of an argument, in the words of a spec; None if it is wrong."""
        annotation = arg.annotation
        match annotation:
            case ast.Subscript(
                ast.Name("Annotated") | ast.Attribute(attr="Annotated"), ast.Tuple([_, annotation])
            ):
                pass
        if annotation is None:
            return self.source.scalar("tensor", arg)
        if isinstance(annotation, ast.Name) and annotation.id in PARAM_TYPES:
            return self.source.scalar(annotation.id, annotation)
        if ast.unparse(annotation) in ("Tensor", "torch.Tensor"):
            return self.source.scalar("tensor", annotation)
        if isinstance(value := _literal(annotation), str | dict):
            return self._value(value, annotation)
        message = f"the annotation of '{arg.arg}' is no kind of input or param"
        hint = 'nothing or "tensor", "int tensor", "row tensor"; float, int or bool of a param'
        self._report(annotation, message, hint)
        return None

    def _with_default(self, kind: Node, default: Any, place: ast.AST, is_param: bool) -> Node:
        """The kind with a default, which Python has evaluated: `tensor = 0`."""
        if not isinstance(default, Real):
            what = "a number" if is_param else "the number that stands for an absent tensor"
            self._report(place, f"a default is {what}", "" if is_param else "as in bias=0")
            return kind
        value = self._value(default, place)
        assert isinstance(value, Scalar)
        if isinstance(kind, Table) and is_param:
            entry = (self.source.scalar("default", place), value)
            return Table((*kind.entries, entry), kind.location)
        if isinstance(kind, Scalar):
            return _joined(kind, value)
        self._report(place, "a packed input has no default")
        return kind

    # The body.

    def _body(self, body: list[ast.stmt]) -> tuple[Entries, Entries]:
        """The entries of `let` and of `outputs`."""
        steps: dict[ast.Name, ast.expr] = {}
        returned: ast.expr | None = None
        for statement in body:
            if isinstance(statement, ast.Return) and statement is body[-1]:
                returned = statement.value
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                if len(statement.targets) == 1:
                    steps[statement.targets[0]] = statement.value
                else:
                    self._report(statement.targets[1], "a step has one name")
            elif isinstance(statement, ast.Return):
                self._report(statement, "an op has one return, in its last line", _CHOICE)
            else:
                message = "an op consists of assignments to names and a return"
                self._report(statement, message, _HINTS.get(type(statement), ""))
        if returned is None:
            if not self.problems:
                message = f"'{self.definition.name}' returns nothing"
                self._report(self.definition, message, "return the formula of the output")
            return [], []
        named = _scalars(Table((*self.inputs, *self.params), self.source.location(returned)))
        self.known |= {scalar.text for scalar in named} | {target.id for target in steps}
        return self._results(steps, returned)

    def _results(
        self, steps: dict[ast.Name, ast.expr], returned: ast.expr
    ) -> tuple[Entries, Entries]:
        several = isinstance(returned, ast.Tuple)
        items = returned.elts if isinstance(returned, ast.Tuple) else [returned]
        read = {name.id for formula in steps.values() for name in _values(formula)}
        results = {item.id for item in items if isinstance(item, ast.Name)}
        own = {
            target.id: formula
            for target, formula in steps.items()
            if target.id in results and (target.id not in read or isinstance(formula, ast.Dict))
        }
        let: Entries = [
            (self.source.scalar(target.id, target), self._formula(formula))
            for target, formula in steps.items()
            if own.get(target.id) is not formula
        ]
        outputs: Entries = []
        for item in items:
            if isinstance(item, ast.Name) and item.id in own:
                name, formula = item.id, own[item.id]
            elif not several:
                name, formula = "out", item
            elif isinstance(item, ast.Name):
                name, formula = f"{item.id}_out", item
            else:
                hint = "assign it first: name = formula"
                self._report(item, "each of several outputs has a name", hint)
                continue
            outputs.append((self.source.scalar(name, item), self._output(formula)))
        return let, outputs

    def _output(self, formula: ast.expr) -> Node:
        """A formula, or a dict that says more: `{"formula": round(x), "dtype": "int8"}`."""
        if not isinstance(formula, ast.Dict):
            return self._formula(formula)
        entries: Entries = []
        for key, value in zip(formula.keys, formula.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                hint = 'as in {"formula": x, "dtype": "int8"}'
                self._report(key or value, "a key is a text", hint)
                continue
            entries.append((self.source.scalar(key.value, key), self._option(key.value, value)))
        return Table(tuple(entries), self.source.location(formula))

    def _option(self, key: str, value: ast.expr) -> Node:
        if key == "pack" and isinstance(value, ast.List | ast.Tuple):
            return List(tuple(map(self._formula, value.elts)), self.source.location(value))
        if key in OUTPUT_FORMS:
            return self._formula(value)
        if (literal := _literal(value)) is not None:
            return self._value(literal, value)
        if isinstance(value, ast.Attribute):  # such as torch.int8, of which the language knows more
            return self.source.scalar(ast.unparse(value), value)
        self._report(value, f"'{key}' is written out here", 'as in "dtype": "int8"')
        return self.source.scalar("", value)

    def _formula(self, formula: ast.expr) -> Scalar:
        for node in ast.walk(formula):
            if isinstance(node, ast.NamedExpr):
                hint = f"assign it on a line of its own: {node.target.id} = ..."
                self._report(node, "':=' has no place in a formula", hint)
            elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
                self._report(node, "'for' has no place in a formula", _LOOP)
            elif isinstance(node, ast.Call) and _is_foreign(node.func, self.outside):
                message = (
                    f"'{ast.unparse(node.func)}' is a Python function, which a formula cannot call"
                )
                self._report(node.func, message, "write its formula here")
        for node in _values(formula):
            if node.id in self.outside and node.id not in self.known:
                message = f"'{node.id}' is a variable of Python, which a formula cannot use"
                hint = f"write its value, or make it a param: {node.id.lower()}: float"
                self._report(node, message, hint)
        return self.source.formula(formula)


def _literal(node: ast.expr) -> Any:
    """The value of an expression that is written out; None for any other."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):  # TypeError: the key of a dict is a list
        return None


def _variables(function: FunctionType) -> dict[str, Any]:
    """The variables of Python that the body of a function could use."""
    variables = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # it has no value yet
            variables[name] = cell.cell_contents
    return variables


def _is_foreign(called: ast.expr, variables: Mapping[str, Any]) -> bool:
    """True if a call is of a Python function that the language does not have.

    Functions of torch are left to the language, which says what to write in their place.
    """
    if not isinstance(called, ast.Name):
        return False
    value = variables.get(called.id)
    module = getattr(value, "__module__", None) or ""
    if not callable(value) or module.partition(".")[0] in ("", "builtins", "torch"):
        return False
    from fusewise.language.functions import CALLABLE  # slow to import, and rarely needed

    return called.id not in CALLABLE


def _is_param(kind: Node) -> bool:
    if isinstance(kind, Table):
        return any(key.text in PARAM for key, _ in kind.entries)
    return isinstance(kind, Scalar) and kind.text.partition("=")[0].strip() in PARAM_TYPES


def _joined(kind: Scalar, default: Scalar) -> Scalar:
    """The text `kind = default`."""
    sign = " = "
    *offsets, end = kind.source.offsets
    offsets += [*[end] * len(sign), *default.source.offsets]
    source = Source(kind.source.path, kind.source.file, offsets)
    return Scalar(kind.text + sign + default.text, source)


def _values(formula: ast.expr) -> Iterator[ast.Name]:
    """The names in a formula that stand for values, and not for functions or modules."""
    others = {
        id(node.func if isinstance(node, ast.Call) else node.value)
        for node in ast.walk(formula)
        if isinstance(node, ast.Call | ast.Attribute)
    }
    for node in ast.walk(formula):
        if isinstance(node, ast.Name) and id(node) not in others:
            yield node


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, List):
        for item in node.items:
            yield from _scalars(item)
    else:
        for key, value in node.entries:
            yield key
            yield from _scalars(value)
