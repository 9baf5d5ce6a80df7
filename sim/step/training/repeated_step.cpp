// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_program.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// The last step of a program, to be added again and again.
class LastStep
{
public:
  explicit LastStep(StepProgram& program)
      : operations_{program.operations}, step_{operations_.back().step}, last_{begin_of(step_)},
        size_{operations_.size() - last_}, before_(size_), now_(size_)
  {
  }

  /// The step before it has the same operations, which wait for the same ones of as many steps before.
  bool repeats()
  {
    if (last_ < size_ || begin_of(step_ - 1) != last_ - size_)
      return false;
    for (std::size_t i = last_; i < operations_.size(); ++i)
      if (Operation before = operations_[i - size_];
          operations_[i].step != step_ ||
          !(later(before, 1, [&](int index) { return index + static_cast<int>(size_); }) == operations_[i]))
        return false;
    return true;
  }

  /// It waits for nothing that is older than the step before it.
  bool looks_back_once() const
  {
    const auto is_older = [&](OperationId id) { return static_cast<std::size_t>(id.index) < last_ - size_; };
    return std::none_of(operations_.begin() + static_cast<std::ptrdiff_t>(last_), operations_.end(),
                        [&](const Operation& one) { return std::ranges::any_of(one.after, is_older); });
  }

  /// No operation of it waits for one whose worker makes fewer steps than it does.
  bool has_all_it_waits_for(std::span<const int> steps) const
  {
    const int all = std::ranges::max(steps);
    const auto steps_of = [&](const Operation& one) {
      return one.worker < 0 ? all : steps[static_cast<std::size_t>(one.worker)];
    };
    return std::all_of(operations_.begin() + static_cast<std::ptrdiff_t>(last_), operations_.end(),
                       [&](const Operation& one) {
                         return std::ranges::all_of(one.after, [&](OperationId id) {
                           return steps_of(operations_[static_cast<std::size_t>(id.index)]) >= steps_of(one);
                         });
                       });
  }

  void add(std::span<const int> steps)
  {
    const int all = std::ranges::max(steps);
    operations_.reserve(last_ + size_ * static_cast<std::size_t>(all - step_));
    std::iota(before_.begin(), before_.end(), static_cast<int>(last_));
    for (int ahead = 1; step_ + ahead < all; ++ahead) {
      check_interrupt();
      const auto moved = [&](int index) {
        const auto place = static_cast<std::size_t>(index);
        const int there = place >= last_           ? now_[place - last_]
                          : place >= last_ - size_ ? before_[place - (last_ - size_)]
                                                   : index + ahead * static_cast<int>(size_);
        if (there < 0)
          throw std::logic_error{"an operation waits for a step that its worker does not make"};
        return there;
      };
      for (std::size_t i = 0; i < size_; ++i) {
        const int worker = operations_[last_ + i].worker;
        now_[i] = -1;
        if (worker >= 0 && steps[static_cast<std::size_t>(worker)] <= step_ + ahead)
          continue;
        Operation next = later(operations_[last_ + i], ahead, moved);
        now_[i] = static_cast<int>(operations_.size());
        operations_.push_back(std::move(next));
      }
      before_.swap(now_);
    }
  }

private:
  std::size_t begin_of(int step) const
  {
    return static_cast<std::size_t>(
        std::ranges::find_if(operations_, [step](const Operation& one) { return one.step >= step; }) -
        operations_.begin());
  }

  /// The operation so many steps later; @p moved: where what it waits for is then.
  template <class Moved>
  Operation later(const Operation& operation, int steps, const Moved& moved)
  {
    Operation next = operation;
    next.step += steps;
    if (auto* end = std::get_if<StepEnd>(&next.work))
      end->step += steps;
    after_.clear();
    for (const OperationId id : next.after)
      after_.push_back({moved(id.index)});
    next.after = after_;
    return next;
  }

  std::vector<Operation>& operations_;
  int step_;                       // its number
  std::size_t last_;               // where it begins
  std::size_t size_;               // its operations
  std::vector<int> before_, now_;  // where each of them is in the step before the one that is added, and in that one
  std::vector<OperationId> after_; // of one operation; its memory is kept
};

} // namespace

bool repeat_last_step(StepProgram& program, std::span<const int> steps)
{
  if (program.operations.empty())
    return false;
  LastStep last{program};
  const bool all_alike = std::ranges::adjacent_find(steps, std::not_equal_to{}) == steps.end();
  if (!last.repeats() || !(all_alike || (last.looks_back_once() && last.has_all_it_waits_for(steps))))
    return false;
  last.add(steps);
  return true;
}

} // namespace trainyard
