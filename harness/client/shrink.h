// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_SHRINK_H_
#define ASSAY_CLIENT_SHRINK_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace assay {

/// How a failing sequence of steps is made short, for cases that draw sequences at random.
template <class Step>
struct ShrinkRules {
  /// Runs a sequence: the index of the step that failed, their number when only what was looked at
  /// after the last one did, nothing when all went right.
  std::function<std::optional<std::size_t>(const std::vector<Step>&)> fails;
  /// Steps that do less than the given one, the least first. Each must be less again, or shrinking
  /// ends by `most_runs` alone.
  std::function<std::vector<Step>(const Step&)> simpler;
  int most_runs = 200;
};

/// The shortest sequence found that fails still, in whatever way. `steps` must fail at index
/// `failed_at`. Takes steps away in ever shorter stretches, from the end to the beginning, then
/// makes single ones simpler, until neither helps or most_runs are spent. In the end no one step
/// can be left out, unless the runs were spent.
///
/// Source: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE
/// 28(2), 2002 (ddmin), with steps made simpler as QuickCheck does.
template <class Step>
[[nodiscard]] std::vector<Step> Shrink(std::vector<Step> steps, std::size_t failed_at,
                                       const ShrinkRules<Step>& rules) {
  int runs = 0;
  // Nothing after the step that failed matters.
  const auto drop_the_rest = [&steps](std::size_t at) {
    steps.resize(std::min(at + 1, steps.size()));
  };
  const auto take_if_it_fails = [&](std::vector<Step> candidate) {
    if (runs >= rules.most_runs) {
      return false;
    }
    ++runs;
    const auto at = rules.fails(candidate);
    if (at) {
      steps = std::move(candidate);
      drop_the_rest(*at);
    }
    return at.has_value();
  };
  const auto remove_stretches = [&] {
    for (std::size_t stretch = std::max<std::size_t>(steps.size() / 2, 1); stretch > 0;
         stretch /= 2) {
      for (std::size_t from = steps.size(); from-- > 0;) {
        if (from + stretch <= steps.size()) {
          std::vector<Step> candidate = steps;
          const auto begin = candidate.begin() + static_cast<std::ptrdiff_t>(from);
          candidate.erase(begin, begin + static_cast<std::ptrdiff_t>(stretch));
          take_if_it_fails(std::move(candidate));
        }
      }
    }
  };
  const auto simplify_one = [&](std::size_t index) {
    return std::ranges::any_of(rules.simpler(steps[index]), [&](const Step& simpler) {
      std::vector<Step> candidate = steps;
      candidate[index] = simpler;
      return take_if_it_fails(std::move(candidate));
    });
  };

  drop_the_rest(failed_at);
  bool went_on = true;
  while (went_on && runs < rules.most_runs) {
    const std::size_t before = steps.size();
    remove_stretches();
    went_on = steps.size() < before;
    for (std::size_t index = 0; index < steps.size(); ++index) {
      while (index < steps.size() && simplify_one(index)) {
        went_on = true;
      }
    }
  }
  return steps;
}

}  // namespace assay

#endif  // ASSAY_CLIENT_SHRINK_H_
