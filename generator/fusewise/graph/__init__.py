"""A pass as a DAG of shared expressions, and how it is cut into named steps."""
