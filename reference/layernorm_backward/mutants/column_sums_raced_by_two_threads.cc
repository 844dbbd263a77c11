// SPDX-License-Identifier: Apache-2.0
// Bug: two threads share the rows out and add to the same column sums without a lock.

#include <cstddef>
#include <vector>

#include "export.h"

namespace {

namespace baseline = assay::layernorm_baseline;
using Steps = baseline::BaselineSteps;

template <typename T>
int RacedBackward(std::size_t rows, std::size_t features, const T* dy, ln_load_fn load,
                  void* context, T* dx, T* dgamma, T* dbeta) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  baseline::BackwardInputs<T> in = {rows, features, dy, nullptr, nullptr, nullptr};
  if (rows > 0) {
    const std::size_t row_bytes = features * sizeof(T);
    in.xhat = static_cast<const T*>(Steps::Load(load, context, "xhat", rows * row_bytes));
    in.rstd = static_cast<const T*>(Steps::Load(load, context, "rstd", rows * sizeof(T)));
    in.gamma = static_cast<const T*>(Steps::Load(load, context, "gamma", row_bytes));
    if (!in.xhat || !in.rstd || !in.gamma) {
      return LN_INVALID_ARGUMENT;
    }
  }
  std::vector<double> gamma_sums(features);
  std::vector<double> beta_sums(features);
  baseline::InParallel(rows, 2, [&](std::size_t /*thread*/, std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      baseline::ColumnSums<Steps, T> of_row(features);
      baseline::BackwardRows<Steps>(in, row, row + 1, dx, of_row);
      for (std::size_t j = 0; j < features; ++j) {
        gamma_sums[j] += of_row.gamma_sums()[j];
        beta_sums[j] += of_row.beta_sums()[j];
      }
    }
  });
  for (std::size_t j = 0; j < features; ++j) {
    Steps::StoreColumn(dgamma[j], gamma_sums[j]);
    Steps::StoreColumn(dbeta[j], beta_sums[j]);
  }
  return LN_OK;
}

}  // namespace

#define RACED_EXPORT(T, suffix)                                                        \
  LAYERNORM_EXPORT_FORWARD(Steps, T, suffix)                                           \
  int ln_backward_##suffix(size_t rows, size_t features, const T* dy, ln_load_fn load, \
                           void* load_context, T* dx, T* dgamma, T* dbeta) try {       \
    return RacedBackward(rows, features, dy, load, load_context, dx, dgamma, dbeta);   \
  } catch (const std::bad_alloc&) {                                                    \
    return LN_OUT_OF_MEMORY;                                                           \
  }

extern "C" {
RACED_EXPORT(float, f32)
RACED_EXPORT(double, f64)
LAYERNORM_EXPORT_CHECK()
}  // extern "C"
