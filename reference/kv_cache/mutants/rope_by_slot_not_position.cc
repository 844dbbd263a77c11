// SPDX-License-Identifier: Apache-2.0
// Bug: with a window the rotation follows the slot of the ring, not the position in the sequence.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t RotationPosition(std::size_t position, std::size_t window) {
    return window > 0 ? position % window : position;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
