// Functions of a float or a vector of floats on the CPU, each written once: scalar code and vectors of
// any width give the same bits. No function has tables or branches by lane.
//
// T is float, or a type with the operations that scalar.h has for float. A product that is part of a sum is
// written as fma, and compilers must not contract other expressions (-ffp-contract=off). Errors are
// within 2 ulp for every float, and within the bounds of the table of functions. Zeros, infinities and
// NaN give exact results.
//
// tools/fit_functions.py computes the constants.
#pragma once

#include <fusewise/math/functions/error.h>
#include <fusewise/math/functions/power.h>
#include <fusewise/math/functions/trigonometric.h>
