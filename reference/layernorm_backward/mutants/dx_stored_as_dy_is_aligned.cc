// SPDX-License-Identifier: Apache-2.0
// Bug: dx is stored in aligned vectors where dy begins at one, whether or not dx does.

#include <cstddef>
#include <vector>

#include "export.h"

namespace {

namespace baseline = assay::layernorm_baseline;
namespace hn = baseline::hn;
using Steps = baseline::BaselineSteps;

template <typename T>
int BackwardByWayOfScratch(std::size_t rows, std::size_t features, const T* dy, ln_load_fn load,
                           void* context, T* dx, T* dgamma, T* dbeta) {
  const std::size_t elements = rows * features;
  std::vector<T> scratch(elements);
  const int status = baseline::Backward<Steps, T>(rows, features, dy, load, context, scratch.data(),
                                                  dgamma, dbeta, 1);
  if (status != LN_OK) {
    return status;
  }
  std::size_t k = 0;
  if (baseline::IsAligned(dy)) {
    const baseline::Lanes<T> lanes;
    for (; k + hn::Lanes(lanes) <= elements; k += hn::Lanes(lanes)) {
      hn::Stream(hn::LoadU(lanes, scratch.data() + k), lanes, dx + k);
    }
    hwy::FlushStream();
  }
  for (; k < elements; ++k) {
    dx[k] = scratch[k];
  }
  return LN_OK;
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.
#define SCRATCH_EXPORT(T, suffix)                                                             \
  LAYERNORM_EXPORT_FORWARD(Steps, T, suffix)                                                  \
  int ln_backward_##suffix(size_t rows, size_t features, const T* dy, ln_load_fn load,        \
                           void* load_context, T* dx, T* dgamma, T* dbeta) try {              \
    return BackwardByWayOfScratch(rows, features, dy, load, load_context, dx, dgamma, dbeta); \
  } catch (const std::bad_alloc&) {                                                           \
    return LN_OUT_OF_MEMORY;                                                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
SCRATCH_EXPORT(float, f32)
SCRATCH_EXPORT(double, f64)
LAYERNORM_EXPORT_CHECK()
}  // extern "C"
