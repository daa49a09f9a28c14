"""The comparison of the reference of a spec with its formula."""
