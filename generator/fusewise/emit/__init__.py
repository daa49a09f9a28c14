"""Passes as text: expressions and declarations in C++ and Python, and the templates they fill."""
