// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_LAYERNORM_BACKWARD_TIMED_SHAPES_H_
#define ASSAY_CHALLENGES_LAYERNORM_BACKWARD_TIMED_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "client/fast_random.h"
#include "oracle.h"

namespace assay::layernorm {

/// What is timed, and on which inputs: one table for the bench, which times it, and for the suite,
/// which makes the same calls on inputs drawn alike. What is right only in tests, or only when
/// timed, finds nothing here to tell them apart by.

enum class TimedPass { kForward, kBackward };

struct TimedShape {
  std::string_view name;
  TimedPass pass = TimedPass::kBackward;
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t element_bytes = 4;
};

/// One that stays in the cache, and one that does not fit.
inline constexpr TimedShape kTimedShapes[] = {
    {"backward_f32/1024x768", TimedPass::kBackward, 1024, 768, 4},
    {"backward_f32/4096x768", TimedPass::kBackward, 4096, 768, 4},
    {"forward_f32/4096x768", TimedPass::kForward, 4096, 768, 4},
    {"backward_f64/1024x768", TimedPass::kBackward, 1024, 768, 8},
};

/// How many calls of one shape a bench makes of hosts as fresh as those of its blocks.
inline constexpr int kCallsOfTimedHosts = 4;

/// Triangular on (-2, 2): the sum of two uniform numbers, from one word.
inline double Triangular(FastRandom& random) {
  constexpr double kUnit = 0x1p-31;
  const std::uint64_t word = random.Next();
  return static_cast<double>(static_cast<std::uint32_t>(word >> 32)) * kUnit +
         static_cast<double>(static_cast<std::uint32_t>(word)) * kUnit - 2;
}

/// Draws a problem of its shape into memory that is already there. Values are bounded, which is
/// what lets one tolerance stand for all elements of a workload.
template <class T>
void DrawTimed(std::mt19937_64& seeds, Problem<T>& problem) {
  FastRandom random(seeds);
  const auto fill = [&random](std::vector<T>& values, std::size_t count, double centre) {
    values.resize(count);
    for (T& value : values) {
      value = static_cast<T>(centre + Triangular(random));
    }
  };
  fill(problem.x, problem.rows * problem.features, 0.5);
  fill(problem.gamma, problem.features, 0);
  fill(problem.beta, problem.features, 0);
  fill(problem.dy, problem.rows * problem.features, 0);
}

/// Some of the rows of a problem: y and dx of a row depend on no other, so that an oracle of a few
/// answers for them.
using RowChoice = std::vector<std::size_t>;

[[nodiscard]] inline RowChoice DrawRows(std::mt19937_64& random, std::size_t rows,
                                        std::size_t count) {
  std::uniform_int_distribution<std::size_t> any(0, rows - 1);
  RowChoice chosen(count);
  for (std::size_t& row : chosen) {
    row = any(random);
  }
  return chosen;
}

/// Those rows of a matrix.
template <class T>
[[nodiscard]] std::vector<T> RowsOf(const std::vector<T>& matrix, std::size_t features,
                                    const RowChoice& chosen) {
  std::vector<T> rows;
  rows.reserve(chosen.size() * features);
  for (const std::size_t row : chosen) {
    const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(row * features);
    rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(features));
  }
  return rows;
}

template <class T>
[[nodiscard]] Problem<T> RowsOf(const Problem<T>& problem, const RowChoice& chosen) {
  return {.rows = chosen.size(),
          .features = problem.features,
          .eps = problem.eps,
          .x = RowsOf(problem.x, problem.features, chosen),
          .gamma = problem.gamma,
          .beta = problem.beta,
          .dy = RowsOf(problem.dy, problem.features, chosen)};
}

}  // namespace assay::layernorm

#endif  // ASSAY_CHALLENGES_LAYERNORM_BACKWARD_TIMED_SHAPES_H_
