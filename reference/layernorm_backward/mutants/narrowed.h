// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_MUTANTS_NARROWED_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_MUTANTS_NARROWED_H_

#include <cstddef>
#include <cstdint>

#include "export.h"

namespace layernorm_mutants {

/// The leading bits of each lane's fraction: 11 of float, as half precision has them, and 24 of
/// double. Adding and subtracting c * value leaves these.
template <typename V>
V Narrowed(V value) {
  namespace hn = assay::layernorm_baseline::hn;
  using T = hn::TFromD<hn::DFromV<V>>;
  constexpr int kDroppedBits = sizeof(T) == 4 ? 13 : 29;
  const V shifted =
      hn::Mul(value, hn::Set(hn::DFromV<V>(), static_cast<T>(std::int64_t{1} << kDroppedBits)));
  return hn::Sub(hn::Add(shifted, value), shifted);
}

/// Saves xhat in a narrower type where Bug::IsNarrow(rows, features) says so; y is not touched.
template <class Bug>
struct NarrowSavedXhat : assay::layernorm_baseline::BaselineSteps {
  inline static std::size_t rows = 0;
  inline static bool narrow = false;

  static std::size_t VisitedRows(std::size_t all) {
    rows = all;
    return all;
  }

  template <typename T>
  static std::size_t VisitedColumns(std::size_t features) {
    narrow = Bug::IsNarrow(rows, features);
    return features;
  }

  template <typename V>
  static V Saved(V xhat) {
    return narrow ? Narrowed(xhat) : xhat;
  }
};

}  // namespace layernorm_mutants

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_MUTANTS_NARROWED_H_
