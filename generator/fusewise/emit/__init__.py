"""Expressions and declarations as C++ and Python text, and the templates that they fill."""
