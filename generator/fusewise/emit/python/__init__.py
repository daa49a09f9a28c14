"""The Python of a package: an op as a typed function with a docstring, and its module."""

from fusewise.emit.python.docstring import doc_lines
from fusewise.emit.python.function import PythonView, python_view
from fusewise.emit.python.module import ModuleView, module_view

__all__ = ["ModuleView", "PythonView", "doc_lines", "module_view", "python_view"]
