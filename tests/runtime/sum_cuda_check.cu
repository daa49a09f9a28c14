// Checks the CUDA loops with sums on a GPU against a reference in double on the host:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/sum_cuda_check.cu
//     runtime/fusewise/core/reduction.cpp runtime/fusewise/cuda/{finalize,launch}.cu -o check
#include <string>
#include <vector>

#include "cuda_tensor.h"

namespace {

Status sum(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Sum, Floats>(loop, params, launch);
}

template <bool kIsNumber>
Status scale(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Scale<kIsNumber>, Floats>(loop, params, launch);
}

Status joint(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Joint, Floats>(loop, params, launch);
}

// The shape with a single place in the dimensions of which `dims` has the bits.
Sizes with_ones(const Sizes& shape, unsigned dims) {
  Sizes found = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (dims >> d & 1) found[d] = 1;
  }
  return found;
}

void check_reductions() {
  const std::vector<Sizes> shapes{{300, 264},   {264},   {5000, 3},    {5000, 17},
                                  {3, 20001},   {70000}, {9, 10, 264}, {4, 5, 6, 7, 8},
                                  {6, 4, 3136}, {0, 5},  {5, 0}};
  for (const Sizes& shape : shapes) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned first = 0; first < patterns; ++first) {
      const Sizes one = with_ones(shape, first);
      for (const unsigned second : {0u, patterns - 1, first ^ (patterns - 1), first >> 1}) {
        const Sizes other = with_ones(shape, second);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
          const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
          check_mix("reduce " + name_of(shape) + " to " + name_of(one) + " and " + name_of(other) +
                        " " + name_of(dtype),
                    shape, {shape, shape, shape}, {one, other}, std::vector<Dtype>(5, dtype),
                    compute);
        }
      }
    }
  }
}

// So many sums that a thread of the second step takes several: over three dimensions, of which it is left one.
void check_many_sums() {
  const Sizes shape{2, 3, 2, 3, 2, 15024}, one = with_ones(shape, 0b010101);
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
    check_mix("reduce " + name_of(shape) + " to " + name_of(one) + " " + name_of(dtype), shape,
              {shape, shape, shape}, {one, one}, std::vector<Dtype>(5, dtype), compute);
  }
}

// Reads that are numbers or vectors for a part of the rows, also off the words of memory.
void check_broadcast_reductions() {
  for (const Sizes& shape : std::vector<Sizes>{{300, 264}, {9, 10, 264}, {4, 5, 6, 16}}) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned read = 1; read < patterns; ++read) {
      const Sizes few = with_ones(shape, read);
      for (unsigned summed = 1; summed < patterns; ++summed) {
        const Sizes one = with_ones(shape, summed);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat}) {
          check_mix("reduce " + name_of(shape) + " with " + name_of(few) + " to " + name_of(one) +
                        " " + name_of(dtype),
                    shape, {shape, few, few}, {one, shape}, std::vector<Dtype>(5, dtype),
                    Dtype::kFloat);
        }
      }
    }
  }
}

// One read, dense or a number or a vector for a part of the rows.
void check_sums() {
  const std::vector<Sizes> shapes{{300, 264}, {9, 10, 264}, {5000, 136}, {4300, 520}};
  for (const Sizes& shape : shapes) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned read = 0; read < patterns; ++read) {
      for (unsigned summed = 1; summed < patterns; ++summed) {
        const Sizes few = with_ones(shape, read), one = with_ones(shape, summed);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
          Tensor in(dtype, few), out(dtype, one), expected(dtype, one);
          for (int64_t i = 0; i < in.numel(); ++i) {
            in.set(static_cast<size_t>(i), static_cast<double>(i * 7 % 5));
          }
          in.upload();
          std::vector<double> totals(static_cast<size_t>(out.numel()), 0.0);
          for_each_index(shape, [&](const Sizes& index) {
            totals[out.place(index)] += in.get(in.place(index));
          });
          for (size_t i = 0; i < totals.size(); ++i) expected.set(i, totals[i]);
          run(sum, make_loop(shape, {&in}, {&out}, Dtype::kFloat));
          out.download();
          report("sum " + name_of(shape) + " of " + name_of(few) + " to " + name_of(one) + " " +
                     name_of(dtype),
                 out.bytes() == expected.bytes());
        }
      }
    }
  }
}

// Sums as Scale is timed with, and those for which there is another kernel: with the last read as large as
// the loop or without the last sum.
void check_specialized() {
  for (const Sizes& shape : std::vector<Sizes>{
           {264}, {300, 264}, {9, 10, 264}, {5000, 136}, {4300, 520}, {6, 7, 2056}}) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned read = 0; read < patterns; ++read) {
      for (unsigned summed = 1; summed < patterns; ++summed) {
        const Sizes few = with_ones(shape, read), one = with_ones(shape, summed);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
          Tensor a(dtype, shape), b(dtype, shape), c(dtype, few);
          Tensor expected(dtype, shape), expected_first(dtype, one), expected_second(dtype, one);
          int64_t seed = 5;
          for (Tensor* const tensor : {&a, &b, &c}) {
            for (int64_t i = 0; i < tensor->numel(); ++i) {
              tensor->set(static_cast<size_t>(i), next_integer(seed, -1, 3));
            }
            tensor->upload();
          }
          std::vector<double> totals(static_cast<size_t>(expected_first.numel()), 0.0);
          std::vector<double> plain = totals;
          for_each_index(shape, [&](const Sizes& index) {
            const double x = a.get(a.place(index));
            expected.set(expected.place(index), -x * c.get(c.place(index)));
            totals[expected_first.place(index)] += x * b.get(b.place(index));
            plain[expected_second.place(index)] += x;
          });
          for (size_t i = 0; i < totals.size(); ++i) {
            expected_first.set(i, totals[i]);
            expected_second.set(i, plain[i]);
          }
          for (const bool has_second : {true, false}) {
            for (const Kernel kernel : {scale<false>, scale<true>}) {
              Tensor product(dtype, shape), first(dtype, one), second(dtype, one);
              run(kernel, make_loop(shape, {&a, &b, &c},
                                    {&product, &first, has_second ? &second : nullptr},
                                    Dtype::kFloat));
              for (Tensor* const tensor : {&product, &first, &second}) tensor->download();
              report("scale " + name_of(shape) + " by " + name_of(few) + " to " + name_of(one) + " " +
                         name_of(dtype),
                     product.bytes() == expected.bytes() &&
                         first.bytes() == expected_first.bytes() &&
                         (!has_second || second.bytes() == expected_second.bytes()));
            }
          }
        }
      }
    }
  }
}

// Two sums of Joint of which each keeps what the other adds up, and its product, if that is wanted.
void check_joint(const Sizes& shape, const std::vector<Sizes>& sums, bool is_dense, Dtype dtype) {
  Tensor a(dtype, shape), b(dtype, shape), product(dtype, shape), expected_product(dtype, shape);
  Tensor first(dtype, sums[0]), second(dtype, sums[1]);
  Tensor expected_first(dtype, sums[0]), expected_second(dtype, sums[1]);
  std::vector<double> first_totals(static_cast<size_t>(first.numel()));
  std::vector<double> second_totals(static_cast<size_t>(second.numel()));
  int64_t seed = 3;
  for_each_index(shape, [&](const Sizes& index) {
    const size_t place = a.place(index);
    for (Tensor* const tensor : {&a, &b}) {
      tensor->set(place, next_integer(seed, 0, 2));
    }
    first_totals[first.place(index)] += a.get(place);
    second_totals[second.place(index)] += b.get(place);
    if (is_dense) expected_product.set(place, a.get(place) * b.get(place));
  });
  for (size_t i = 0; i < first_totals.size(); ++i) expected_first.set(i, first_totals[i]);
  for (size_t i = 0; i < second_totals.size(); ++i) expected_second.set(i, second_totals[i]);
  a.upload();
  b.upload();
  run(joint, make_loop(shape, {&a, &b}, {&first, is_dense ? &product : nullptr, &second},
                       Dtype::kFloat));
  for (Tensor* const tensor : {&first, &second, &product}) tensor->download();
  report("two-axis beside " + std::string(is_dense ? "a dense write " : "an absent one ") +
             name_of(shape) + " to " + name_of(sums[0]) + " and " + name_of(sums[1]) + " " +
             name_of(dtype),
         first.bytes() == expected_first.bytes() && second.bytes() == expected_second.bytes() &&
             product.bytes() == expected_product.bytes());
}

// Sums of which each keeps what the other adds up: in one pass where threads have enough to do.
void check_two_axis() {
  for (const Sizes& sizes : std::vector<Sizes>{{2, 40, 50, 136}, {300, 70, 16}}) {
    Sizes one = sizes, other = sizes;
    one[sizes.size() - 2] = other[sizes.size() - 3] = 1;
    for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
      for (const bool is_dense : {false, true}) {
        check_joint(sizes, {one, other}, is_dense, dtype);
        check_joint(sizes, {other, one}, is_dense, dtype);
      }
    }
  }
  for (const Sizes& shape : std::vector<Sizes>{
           {3, 20, 31, 264}, {45, 64, 40}, {5, 3, 16, 24}, {2, 130, 9, 16}, {90, 150, 8}}) {
    const size_t last = shape.size() - 1;
    for (size_t i = 0; i < last * last; ++i) {
      const size_t d = i / last, e = i % last;
      if (d == e) continue;
      Sizes one = shape, other = shape, numbers = shape;
      one[d] = other[e] = numbers[last] = 1;
      for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
        const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
        const std::string name = "crossing " + name_of(shape) + " to " + name_of(one) + " and " +
                                 name_of(other) + " " + name_of(dtype);
        const std::vector<Dtype> same(5, dtype);
        check_mix(name, shape, {shape, shape, one}, {one, other}, same, compute);
        check_mix(name + " of numbers", shape, {shape, numbers, {shape[last]}}, {other, one}, same,
                  compute);
        check_mix(name + " spread", shape, {shape, shape, other}, {one, other}, same, compute, 1, 3);
      }
    }
  }
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"reductions", check_reductions},
                                  {"many_sums", check_many_sums},
                                  {"broadcast_reductions", check_broadcast_reductions},
                                  {"two_axis", check_two_axis},
                                  {"sums", check_sums},
                                  {"specialized", check_specialized}});
  return passed ? 0 : 1;
}
