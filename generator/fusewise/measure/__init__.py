"""Speed and accuracy of built ops: contenders, timing, reports, resources of kernels."""
