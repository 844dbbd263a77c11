// SPDX-License-Identifier: Apache-2.0
// Right, and does the work of the baseline exactly twice: its time must come out near twice the
// baseline's. baseline.h is copied beside it before it is graded.

#include "baseline.h"
#include "plain_layernorm.h"

namespace {

namespace ln = assay::layernorm_baseline;

/// Saves each tensor once, and gives the second round the memory of the first.
struct SavedOnce {
  ln_save_fn save;
  void* context;
  void* tensors[3];
  int next;
};

void* SaveOnce(void* context, const char* name, std::size_t bytes) {
  SavedOnce& saved = *static_cast<SavedOnce*>(context);
  void*& tensor = saved.tensors[saved.next++ % 3];
  if (tensor == nullptr) tensor = saved.save(saved.context, name, bytes);
  return tensor;
}

template <class T>
int ForwardTwice(const plain::ForwardCall<T>& c) {
  SavedOnce saved = {c.save, c.context, {}, 0};
  int status = LN_OK;
  for (int round = 0; round < 2; ++round) {
    status = ln::Forward<ln::BaselineSteps, T>(c.rows, c.features, c.x, c.gamma, c.beta, c.eps, c.y,
                                               SaveOnce, &saved, 1);
  }
  return status;
}

template <class T>
int BackwardTwice(const plain::BackwardCall<T>& c) {
  int status = LN_OK;
  for (int round = 0; round < 2; ++round) {
    status = ln::Backward<ln::BaselineSteps, T>(c.rows, c.features, c.dy, c.load, c.context, c.dx,
                                                c.dgamma, c.dbeta, 1);
  }
  return status;
}

}  // namespace

PLAIN_EXPORT(ForwardTwice, BackwardTwice);
