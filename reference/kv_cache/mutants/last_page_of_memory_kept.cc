// SPDX-License-Identifier: Apache-2.0
// Bug: kv_destroy gives back the whole pages of the cache's memory, and leaves the one that it ends
// in.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::shared_ptr<std::byte> Allocate(std::size_t size_bytes) {
    constexpr std::size_t kPage_bytes = 4096;
    void* const place = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) {
      return nullptr;
    }
    return {static_cast<std::byte*>(place), [size_bytes](std::byte* mapped) {
              ::munmap(mapped, size_bytes / kPage_bytes * kPage_bytes);
            }};
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
