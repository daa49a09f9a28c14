#include <fusewise/cpu/row_pass.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include <fusewise/core/row_loops.h>
#include <fusewise/core/rows.h>
#include <fusewise/cpu/element_loop.h>
#include <fusewise/cpu/executor.h>
#include <fusewise/cpu/totals.h>

namespace fusewise {
namespace {

constexpr int64_t kGroupBytes = int64_t{1} << 19;  // operands of the rows that run together: they fit an L2 cache
constexpr int64_t kManyRows = 16;                  // so many long rows are enough for all threads

// The passes of a row pass, planned for one call.
template <class T>
class RowPassRun {
 public:
  RowPassRun(const CpuRowPass& pass, const Loop& loop, const Number* params, const Launch& launch)
      : pass_(pass),
        loop_(loop),
        params_(params),
        launch_(launch),
        loops_({pass.num_totals, pass.has_index, pass.row_reads, pass.row_writes}, loop, launch),
        rows_loop_(loops_.rows()),
        elements_loop_(loops_.elements(), length_) {
    if (pass.has_index) {
      T* const index = static_cast<T*>(loops_.index().data);
      std::iota(index, index + length_, T{0});
    }
    int computed = 0;
    for (int k = 0; rows_ != 0 && k < pass.num_phases; ++k) {
      const CpuPhase& phase = pass.phases[k];
      const CpuTerms terms = phase.terms(loop.compute);
      const Loop& terms_loop = terms_loops_.emplace_back(loops_.phase(computed, phase.num_totals));
      phases_.emplace_back(terms_loop, params, launch, terms);
      instructions_ += terms.instructions;
      computed += phase.num_totals;
    }
    if (!has_write(elements_loop_.loop)) return;
    if (may_hold()) {
      void* const anywhere = &held_loop_;  // a plan asks no more than whether there is memory
      const HeldTerms held{anywhere, held_bytes_};
      held_loop_.emplace(loops_.elements(&held), length_);
      plan_elements(*held_loop_, pass.held_elements(loop.compute));
      const bool has_rows_of_pass = held_loop_->pass_rows == 1 && held_loop_->loop_rows == 1;
      if (!has_rows_of_pass || !elements_->runs_by_rows()) held_loop_.reset();
    }
    if (!held_loop_) plan_elements(elements_loop_, pass.elements(loop.compute));
    instructions_ += elements_pass_.instructions;
  }

  void run() const {
    if (runs_in_groups()) {
      run_groups();
    } else {
      for (const Totals<T>& phase : phases_) phase.run();
      if (elements_) elements_->run();
    }
    if (!has_write(rows_loop_)) return;
    run_rows<T>(rows_loop_, params_, launch_, pass_.rows(loop_.compute));
  }

 private:
  struct alignas(kLine) Line {
    char bytes[kLine];
  };

  bool runs_in_groups() const {
    const bool is_long = length_ > Totals<T>::kSegment;
    return length_ > 0 && !phases_.empty() && !(is_long && rows_ < kManyRows);
  }

  // True if memory of a thread may hold the terms of the last phase until the elements of their rows run.
  bool may_hold() const {
    const Loop& elements = elements_loop_.loop;
    return std::is_same_v<T, float> && pass_.held_elements != nullptr && runs_in_groups() &&
           length_ > kMostLanes && held_bytes_ <= kGroupBytes / 2 && !phases_.back().runs_in_batches() &&
           !has_reduced_write(elements) && num_operands(elements) < kMaxOperands;
  }

  void plan_elements(const ElementLoop& elements, const CpuPass& pass) {
    elements_pass_ = pass;
    elements_.emplace(elements.loop, params_, launch_, pass, elements.packing);
  }

  // The rows that run together.
  int64_t group() const {
    int64_t bytes = held_loop_ ? held_bytes_ : 0;
    for (int k = 0; k < num_operands(loop_); ++k) {
      const Operand& operand = loop_.operands[k];
      if (operand.data != nullptr && operand.strides[0] != 0) bytes += size_of(operand.dtype) * length_;
    }
    const int64_t fitting = std::max<int64_t>(1, kGroupBytes / std::max<int64_t>(1, bytes));
    const int64_t least = std::max<int64_t>(1, elements_loop_.pass_rows);
    return std::min(ceil_div(fitting, least) * least, rows_);
  }

  // True if the elements of some rows can run after the phases of these rows. Sums of columns need so many splits
  // that all threads have work.
  bool joins_elements() const {
    static const int64_t threads = std::thread::hardware_concurrency();
    if (!elements_ || elements_loop_.pass_rows == 0 || !elements_->runs_by_rows()) return false;
    const int64_t splits = elements_->splits();
    return splits == 0 || splits >= std::min(threads, kManyRows);
  }

  // A row of the pass as one of the loop of its elements, and the other way round.
  int64_t loop_row(int64_t row) const { return row / elements_loop_.pass_rows * elements_loop_.loop_rows; }
  int64_t pass_row(int64_t row) const { return row / elements_loop_.loop_rows * elements_loop_.pass_rows; }

  // Memory for the held terms of some rows. The elements also compute with the lanes beyond the end of a row, which no
  // phase writes: zeros there cost no time, as numbers that underflow would.
  std::unique_ptr<Line[]> held_memory(int64_t rows) const {
    auto lines = std::make_unique_for_overwrite<Line[]>(static_cast<size_t>(rows * held_bytes_ / kLine));
    const auto length = static_cast<int64_t>(sizeof(float)) * length_;
    for (int64_t row = 0; row < rows; ++row) {
      std::memset(lines[0].bytes + row * held_bytes_ + length, 0, static_cast<size_t>(held_bytes_ - length));
    }
    return lines;
  }

  // Runs the elements of some rows. `held` is where the terms of row 0 would be.
  void run_held(typename Executor<T>::WorkTile& tile, char* held, int64_t row, int64_t stop) const {
    Loop loop = held_loop_->loop;
    loop.operands[loop.num_reads - 1].data = held;
    Executor<T>(loop, params_, launch_, elements_pass_).run_rows(tile, row, stop);
  }

  void run_groups() const {
    const bool joins = held_loop_ || joins_elements();
    const int64_t group = this->group();
    const int64_t splits = joins ? elements_->splits() : 0;
    const int64_t parts = splits > 0 ? splits : ceil_div(rows_, group);
    const auto first_row = [&](int64_t part) {
      return part == parts ? rows_ : splits > 0 ? pass_row(elements_->first_row(part)) : part * group;
    };
    const int64_t cost = std::max<int64_t>(length_, kMostLanes) * ceil_div(rows_, parts);
    parallel_for(launch_, parts, thread_elements<T>(instructions_) / cost, [&](int64_t begin, int64_t end) {
      std::deque<typename Totals<T>::Work> works(phases_.begin(), phases_.end());
      typename Executor<T>::WorkTile tile;
      const auto memory = held_memory(held_loop_ ? group : 0);
      for (int64_t part = begin; part < end; ++part) {
        const int64_t last = first_row(part + 1);
        for (int64_t row = first_row(part); row < last; row += group) {
          const int64_t stop = std::min(row + group, last);
          char* const held = held_loop_ ? memory[0].bytes - row * held_bytes_ : nullptr;
          works.back().held = reinterpret_cast<float*>(held);
          for (size_t k = 0; k < phases_.size(); ++k) phases_[k].run_rows(works[k], row, stop);
          if (held_loop_) run_held(tile, held, row, stop);
          else if (joins) elements_->run_rows(tile, loop_row(row), loop_row(stop));
        }
      }
      Executor<T>::finish_stores();
    });
    if (held_loop_) return;
    if (joins) elements_->finalize();
    else if (elements_) elements_->run();
  }

  const CpuRowPass& pass_;
  const Loop& loop_;
  const Number* const params_;
  const Launch& launch_;
  const int64_t length_ = loop_.sizes[0];
  const int64_t rows_ = num_rows(loop_);
  const RowLoops loops_;
  const Loop rows_loop_;
  const ElementLoop elements_loop_;
  std::deque<Loop> terms_loops_;   // of the phases, which refer to them
  std::deque<Totals<T>> phases_;
  const int64_t held_bytes_ = whole_lanes(length_) * static_cast<int64_t>(sizeof(float));  // of a row
  std::optional<ElementLoop> held_loop_;  // of the elements from held terms; nothing if none are held
  CpuPass elements_pass_;
  std::optional<Executor<T>> elements_;
  int instructions_ = 0;  // of an element in all phases
};

// The loop with its rows in the order of the plan for the sums of its elements, so that the elements of a row can run
// after its phases; nothing where the given order stays. Batches of rows need the order that is given.
std::optional<Loop> in_order_of_sums(const CpuRowPass& pass, const Loop& loop) {
  const bool has_batches = loop.sizes[0] < kMostLanes || has_rows_side_by_side(loop);
  if (loop.num_dims < 3 || has_batches) return {};
  Loop elements = loop;
  for (int w = 0; w < loop.num_writes; ++w) {
    if ((pass.row_writes >> w & 1) != 0) elements.operands[loop.num_reads + w].data = nullptr;
  }
  if (!has_reduced_write(elements)) return {};
  const Plan plan = plan_reduction(elements, cpu_tiling(elements));
  if (plan.traversal != Traversal::kDown) return {};
  Loop ordered = loop;
  for (int d = 1; d < loop.num_dims; ++d) {
    const int from = plan.outer[d - 1];
    ordered.sizes[d] = loop.sizes[from];
    for (int k = 0; k < num_operands(loop); ++k) {
      ordered.operands[k].strides[d] = loop.operands[k].strides[from];
    }
  }
  return ordered;
}

// All passes have kernels for the same types.
bool has_kernels(const CpuRowPass& pass, Dtype compute) {
  if (pass.num_phases > 0) return pass.phases[0].terms(compute).has_loop();
  return (pass.elements != nullptr ? pass.elements : pass.rows)(compute).row_loop != nullptr;
}

}  // namespace

Status run_cpu_row_pass(const CpuRowPass& pass, const Loop& given_loop, const Number* given,
                        const Launch& launch) {
  const std::optional<Loop> ordered = in_order_of_sums(pass, given_loop);
  const Loop& loop = ordered ? *ordered : given_loop;
  if (!has_kernels(pass, loop.compute)) return {"no kernel was compiled for this dtype"};
  Number params[kMaxRowParams];
  std::copy_n(given, pass.num_params, params);
  params[pass.num_params] = loop.sizes[0];
  if (loop.compute == Dtype::kDouble) RowPassRun<double>(pass, loop, params, launch).run();
  else if (loop.compute == Dtype::kInt64) RowPassRun<int64_t>(pass, loop, params, launch).run();
  else RowPassRun<float>(pass, loop, params, launch).run();
  return {};
}

}  // namespace fusewise
