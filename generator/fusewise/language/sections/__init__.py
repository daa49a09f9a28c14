"""The sections of a spec, each read and checked by a module of its own."""
