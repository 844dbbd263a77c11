// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_EXPORT_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_EXPORT_H_

#include <cstddef>
#include <new>

#include "baseline.h"
#include "gradient_check.h"

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.

/// Defines the functions of interface.h with the formula of `Steps`, on one thread.
#define LAYERNORM_EXPORT(Steps)                 \
  extern "C" {                                  \
  LAYERNORM_EXPORT_FORWARD(Steps, float, f32)   \
  LAYERNORM_EXPORT_FORWARD(Steps, double, f64)  \
  LAYERNORM_EXPORT_BACKWARD(Steps, float, f32)  \
  LAYERNORM_EXPORT_BACKWARD(Steps, double, f64) \
  LAYERNORM_EXPORT_CHECK()                      \
  }                                             \
  static_assert(true)

#define LAYERNORM_EXPORT_FORWARD(Steps, T, suffix)                                                 \
  int ln_forward_##suffix(size_t rows, size_t features, const T* x, const T* gamma, const T* beta, \
                          T eps, T* y, ln_save_fn save, void* save_context) try {                  \
    return assay::layernorm_baseline::Forward<Steps, T>(rows, features, x, gamma, beta, eps, y,    \
                                                        save, save_context, 1);                    \
  } catch (const std::bad_alloc&) {                                                                \
    return LN_OUT_OF_MEMORY;                                                                       \
  }

#define LAYERNORM_EXPORT_BACKWARD(Steps, T, suffix)                                              \
  int ln_backward_##suffix(size_t rows, size_t features, const T* dy, ln_load_fn load,           \
                           void* load_context, T* dx, T* dgamma, T* dbeta) try {                 \
    return assay::layernorm_baseline::Backward<Steps, T>(rows, features, dy, load, load_context, \
                                                         dx, dgamma, dbeta, 1);                  \
  } catch (const std::bad_alloc&) {                                                              \
    return LN_OUT_OF_MEMORY;                                                                     \
  }

#define LAYERNORM_EXPORT_CHECK()                                                                \
  int ln_check_gradients(size_t rows, size_t features, double* x, double* gamma, double* beta,  \
                         double eps, const double* dy, ln_backward_under_check_fn backward,     \
                         void* backward_context, struct ln_check_report* report) try {          \
    return assay::layernorm_baseline::CheckGradients({rows, features, x, gamma, beta, eps, dy}, \
                                                     backward, backward_context, report);       \
  } catch (const std::bad_alloc&) {                                                             \
    return LN_OUT_OF_MEMORY;                                                                    \
  }

// NOLINTEND(bugprone-macro-parentheses)

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_EXPORT_H_
