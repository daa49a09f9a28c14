"""The command `fusewise`: the only package that prints and writes; the stages compute."""

from fusewise.cli.app import main

__all__ = ["main"]
