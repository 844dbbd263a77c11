// SPDX-License-Identifier: Apache-2.0
// Returns from kv_append, and a thread goes on after the clock has stopped, as one that prepares
// the outputs of the next query would.

#include <thread>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Append(int layer, std::size_t count, const std::int32_t* sequences, const float* k,
             const float* v) override {
    const int status = Cache::Append(layer, count, sequences, k, v);
    std::thread([] {
      for (;;) asm volatile("");
    }).detach();
    return status;
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
