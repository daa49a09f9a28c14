"""The report of an op as HTML, and the gallery of all ops: plots, memory, accuracy, speed."""
