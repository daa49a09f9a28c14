"""The spec language: YAML with source locations, formulas and functions, read into a `Spec`."""
