// SPDX-License-Identifier: Apache-2.0
// Every function is there, says that all is well and does nothing: the zero of the scale.

#include "interface.h"

extern "C" {

int ln_forward_f32(size_t, size_t, const float*, const float*, const float*, float, float*,
                   ln_save_fn, void*) {
  return LN_OK;
}
int ln_forward_f64(size_t, size_t, const double*, const double*, const double*, double, double*,
                   ln_save_fn, void*) {
  return LN_OK;
}
int ln_backward_f32(size_t, size_t, const float*, ln_load_fn, void*, float*, float*, float*) {
  return LN_OK;
}
int ln_backward_f64(size_t, size_t, const double*, ln_load_fn, void*, double*, double*, double*) {
  return LN_OK;
}
int ln_check_gradients(size_t, size_t, double*, double*, double*, double, const double*,
                       ln_backward_under_check_fn, void*, struct ln_check_report*) {
  return LN_OK;
}

}  // extern "C"
