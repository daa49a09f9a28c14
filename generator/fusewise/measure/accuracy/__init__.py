"""`fusewise accuracy`: the errors of ops and of eager PyTorch, against exact values."""
