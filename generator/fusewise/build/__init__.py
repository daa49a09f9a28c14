"""The generated tree on disk, compilers, ninja and the extension module."""
