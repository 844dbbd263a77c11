// SPDX-License-Identifier: Apache-2.0
// Bug: how many blocks share a row is worked out from the rows of the call before: after a call
// with many rows, one with few asks for too little workspace, and refuses what it is given.

#include "export.cuh"

namespace {

using assay::softmax_topk_baseline::MakePlan;
using assay::softmax_topk_baseline::Plan;

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  static Plan PlanFor(std::size_t rows, std::size_t vocabulary, std::size_t k) {
    static std::size_t rows_before = rows;
    const Plan plan = MakePlan(rows_before, vocabulary, k);
    rows_before = rows;
    return plan;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
