"""A Python function as a spec: its source is read into the tree of a YAML file, and never run."""

from fusewise.language.python.function import read_function

__all__ = ["read_function"]
