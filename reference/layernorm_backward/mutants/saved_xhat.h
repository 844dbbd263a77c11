// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_MUTANTS_SAVED_XHAT_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_MUTANTS_SAVED_XHAT_H_

#include <cstddef>

#include "export.h"

namespace layernorm_mutants {

/// Of float the 11 leading bits of its fraction, as half precision has them: adding and subtracting
/// c * value leaves these. Double as it is: a worst case in f64 has no room for single precision.
template <typename V>
V Narrowed(V value) {
  namespace hn = assay::layernorm_baseline::hn;
  using Lane = hn::TFromD<hn::DFromV<V>>;
  if constexpr (sizeof(Lane) == sizeof(double)) {
    return value;
  } else {
    constexpr Lane kShift = 1 << 13;
    const V shifted = hn::Mul(value, hn::Set(hn::DFromV<V>(), kShift));
    return hn::Sub(hn::Add(shifted, value), shifted);
  }
}

/// Saves Bug::Instead(xhat), which is xhat in half precision unless it says otherwise, where
/// Bug::IsWrong(rows, features); y is not touched.
template <class Bug>
struct WrongSavedXhat : assay::layernorm_baseline::BaselineSteps {
  inline static std::size_t rows = 0;
  inline static bool is_wrong = false;

  static std::size_t VisitedRows(std::size_t all) {
    rows = all;
    return all;
  }

  template <typename T>
  static std::size_t VisitedColumns(std::size_t features) {
    is_wrong = Bug::IsWrong(rows, features);
    return features;
  }

  template <typename V>
  static V Saved(V xhat) {
    return is_wrong ? Bug::Instead(xhat) : xhat;
  }

  template <typename V>
  static V Instead(V xhat) {
    return Narrowed(xhat);
  }

 private:
  WrongSavedXhat() = default;
  friend Bug;
};

}  // namespace layernorm_mutants

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_MUTANTS_SAVED_XHAT_H_
