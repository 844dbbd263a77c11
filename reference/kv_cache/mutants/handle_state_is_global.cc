// SPDX-License-Identifier: Apache-2.0
// Bug: caches of one process share their memory: the second writes over what the first holds.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::shared_ptr<std::byte> Allocate(std::size_t size_bytes) {
    static std::weak_ptr<std::byte> kept;
    static std::size_t kept_bytes = 0;
    std::shared_ptr<std::byte> memory = kept.lock();
    if (memory == nullptr || kept_bytes < size_bytes) {
      memory = BaselineSteps::Allocate(size_bytes);
      kept = memory;
      kept_bytes = size_bytes;
    }
    return memory;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
