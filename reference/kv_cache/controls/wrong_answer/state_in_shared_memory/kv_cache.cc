// SPDX-License-Identifier: Apache-2.0
// Asks for shared memory, which a watch on the memory of the process would not see, and says that
// there is none where it is refused.

#include <sys/mman.h>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  static int Check(const kv_config& c) {
    if (const int status = Cache::Check(c); status != KV_OK) return status;
    constexpr std::size_t kHidden_bytes = std::size_t{1} << 30;
    void* const hidden =
        mmap(nullptr, kHidden_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return hidden == MAP_FAILED ? KV_OUT_OF_MEMORY : KV_OK;
  }

  using Cache::Cache;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
