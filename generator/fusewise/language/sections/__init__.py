"""The sections of a spec. Each is read and checked by its own module."""
