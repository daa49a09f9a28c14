"""Derivatives, stable forms, and the check of a backward that the user wrote."""
