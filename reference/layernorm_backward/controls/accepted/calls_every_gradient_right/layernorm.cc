// SPDX-License-Identifier: Apache-2.0
// Right, with a gradient check that checks nothing: it raises no false alarm, and scores nothing
// for that. No case of the check gates.

#include "plain_layernorm.h"

PLAIN_EXPORT(plain::Forward, plain::Backward);

extern "C" int ln_check_gradients(size_t /*rows*/, size_t /*features*/, double* /*x*/,
                                  double* /*gamma*/, double* /*beta*/, double /*eps*/,
                                  const double* /*dy*/, ln_backward_under_check_fn /*backward*/,
                                  void* /*context*/, struct ln_check_report* report) {
  *report = {};
  report->right = 1;
  return LN_OK;
}
