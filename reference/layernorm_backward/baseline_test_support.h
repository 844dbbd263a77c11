// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_TEST_SUPPORT_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_TEST_SUPPORT_H_

// What the unit tests of the oracle's bounds and of the baseline share: a save and a load callback
// in one process, and the baseline's outputs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "interface.h"
#include "oracle.h"
#include "oracle_test_support.h"

namespace assay::layernorm {

using SavedTensors = std::map<std::string, std::vector<std::byte>>;

inline void* SaveTo(void* context, const char* name, std::size_t bytes) {
  auto& tensor = (*static_cast<SavedTensors*>(context))[name];
  tensor.resize(bytes);
  return tensor.data();
}

inline const void* LoadFrom(void* context, const char* name, std::size_t* bytes) {
  const auto& saved = *static_cast<SavedTensors*>(context);
  const auto found = saved.find(name);
  if (found == saved.end()) {
    return nullptr;
  }
  *bytes = found->second.size();
  return found->second.data();
}

constexpr auto ForwardOf(float) { return ln_forward_f32; }
constexpr auto ForwardOf(double) { return ln_forward_f64; }
constexpr auto BackwardOf(float) { return ln_backward_f32; }
constexpr auto BackwardOf(double) { return ln_backward_f64; }

template <typename T>
struct Outputs {
  std::vector<T> y, dx, dgamma, dbeta;
};

/// Runs the baseline's forward and backward; outputs begin as NaN, y and dx one element past an
/// aligned address.
template <typename T>
Outputs<T> ForwardAndBackward(const Problem<T>& problem) {
  constexpr T kPoison = std::numeric_limits<T>::quiet_NaN();
  const std::size_t elements = problem.rows * problem.features;
  Outputs<T> out{std::vector<T>(elements + 1, kPoison), std::vector<T>(elements + 1, kPoison),
                 std::vector<T>(problem.features, kPoison),
                 std::vector<T>(problem.features, kPoison)};
  SavedTensors saved;
  EXPECT_EQ(ForwardOf(T{})(problem.rows, problem.features, problem.x.data(), problem.gamma.data(),
                           problem.beta.data(), problem.eps, out.y.data() + 1, SaveTo, &saved),
            LN_OK);
  EXPECT_EQ(BackwardOf(T{})(problem.rows, problem.features, problem.dy.data(), LoadFrom, &saved,
                            out.dx.data() + 1, out.dgamma.data(), out.dbeta.data()),
            LN_OK);
  out.y.erase(out.y.begin());
  out.dx.erase(out.dx.begin());
  return out;
}

/// Always the same for a shape.
template <typename T>
Problem<T> RandomProblem(std::size_t rows, std::size_t features, double offset = 0) {
  return RandomProblem<T>(Shape{rows, features}, rows * 1000 + features, offset);
}

}  // namespace assay::layernorm

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_TEST_SUPPORT_H_
