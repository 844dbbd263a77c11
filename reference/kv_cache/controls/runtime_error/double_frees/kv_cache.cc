// SPDX-License-Identifier: Apache-2.0
// Gives the memory of a sequence back each time it is freed, also when it was freed before.

#include <cstdlib>
#include <vector>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config) : Cache(config) {
    for (int sequence = 0; sequence < config.batch; ++sequence) {
      notes_.push_back(std::malloc(kNote_bytes));
    }
  }

  int Free(int sequence) override {
    const int status = Cache::Free(sequence);
    if (status == KV_OK) std::free(notes_[Size(sequence)]);
    return status;
  }

 private:
  static constexpr std::size_t kNote_bytes = 64;
  std::vector<void*> notes_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
