"""Speed and accuracy of built ops, resources of kernels, and the check of references."""
