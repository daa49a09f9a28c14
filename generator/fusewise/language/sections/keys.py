"""The keys and words of a spec, each with its meaning, for readers and the JSON Schema."""

from __future__ import annotations

SECTIONS = {
    "op": "the op's name, equal to the file's name",
    "doc": "the docstring: a first line that describes the op, then facts for callers",
    "inputs": "tensors, in call order",
    "params": "plain numbers, keyword-only in Python, never differentiated",
    "reduce": "the dimensions of a row: numbers, all, or a keyword by which callers name one",
    "let": "named steps, each a formula, in order",
    "outputs": "named results, each a formula; of a composed op, a list of names",
    "backward": "gradients that the user writes",
    "save": "the tensors that the backward keeps, if the planner should not choose them",
    "compose": "calls of other ops and of a few ATen functions, instead of formulas",
    "module": "a class of torch.nn.Module that holds some of the inputs as parameters",
    "test": "facts for the generated tests: domain, reference, excluded points, error bound",
    "shapes": "typical shapes, for which kernels are specialized",
}
# Hints for keys of other languages that a spec does not have.
_ROW = "the section 'reduce' names the dimensions of a row: reduce: -2, or reduce: dim"
OTHER_KEYS = {"axis": _ROW, "dim": _ROW, "dims": _ROW}
REQUIRED_SECTIONS = ("op", "inputs", "outputs")
# They belong in the ops that the steps call.
NOT_COMPOSED = ("params", "reduce", "let", "backward", "save")

INPUT_FORMS = {
    "tensor": "floating point, differentiable",
    "tensor = 0": "optional: if the caller passes None or nothing, the formula uses this number",
    "bool tensor": "a condition; not differentiable",
    "int tensor": "uint8, or int8 to int64; not differentiable",
    "number tensor": "floating point or integer, as the caller passes",
    "row tensor": "one number for each row: its shape is that of the others without the"
    " dimensions of a row",
    "bool row tensor": "a condition for each row",
    "int row tensor": "an integer for each row, such as the index of a class",
}
PACKED_INPUT = {
    "split": "the names of the parts that the last dimension packs, two or more",
    "layout": "the order of the parts in memory",
}
LAYOUTS = {
    "chunked": "one part after the other, the default",
    "interleaved": "element by element",
}

PARAM_TYPES = {
    "float": "a number, inf or nan",
    "int": "a whole number, exact up to 2^53",
    "bool": "true or false",
}
PARAM = {
    "type": "float, int or bool",
    "default": "the value if the caller passes none",
    "choices": "the values that callers may pass; each has its own kernels",
}

# An output has one of the forms, and any of the options.
OUTPUT_FORMS = {
    "formula": "the formula of the output",
    "pack": "two or more formulas, whose results are packed along the last dimension",
}
OUTPUT_OPTIONS = {
    "layout": "the order of the packed results in memory",
    "dtype": "the type of the tensor; 'like x' is the type of the input x",
    "keepdim": "whether a result of one number a row keeps the dimensions of a row, with size 1",
}

BACKWARD = {"is": "whether the gradients are the derivative; further keys are 'grad_' and a name"}
BACKWARD_KINDS = {
    "derivative": "a form of the true derivative, compared with the derived one when the spec is"
    " checked",
    "surrogate": "a gradient that is not the derivative, on purpose; it is not compared",
}

MODULE = {
    "name": "the name of the class; by default that of the op in CamelCase",
    "parameters": "the inputs that the module holds, each with its shape and initial values",
}
PARAMETER = {
    "shape": "a list of sizes: whole numbers, and names, which the constructor takes",
    "init": "the initial values: a number, or one of the words below",
}
INITS = {
    "zeros": "all 0",
    "ones": "all 1",
    "normal(std)": "samples of a normal distribution of mean 0",
    "uniform(low, high)": "samples between two numbers",
}

TEST = {
    "domain": "the range of samples of inputs, parts and params that are numbers; else -4 to 4",
    "reference": "PyTorch expressions for the outputs, separated by commas: a second oracle",
    "exclude": "a condition for points at which finite differences are meaningless",
    "ulp": "the largest error of outputs and gradients in float32, in units in the last place",
}
