// SPDX-License-Identifier: Apache-2.0
// Bug: a cache with a window in INT8 is kept in INT4.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static kv_storage StorageOf(const kv_config& config) {
    const kv_storage storage = BaselineSteps::StorageOf(config);
    return config.window > 0 && storage == KV_INT8 ? KV_INT4 : storage;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
