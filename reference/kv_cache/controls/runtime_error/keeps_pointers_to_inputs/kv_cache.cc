// SPDX-License-Identifier: Apache-2.0
// Keeps the address of what it was given to store, and stores it when it is asked about: by then
// the memory is no longer there.

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Append(int layer, std::size_t count, const std::int32_t* sequences, const float* k,
             const float* v) override {
    late_ = {};
    const int status = Cache::Append(layer, count, sequences, k, v);
    if (status == KV_OK && count > 0) late_ = {layer, sequences[count - 1], k, v, count - 1};
    return status;
  }

  int Attend(int layer, std::size_t count, const std::int32_t* sequences, const float* q,
             float* out) override {
    if (late_.k != nullptr && Length(late_.layer, late_.sequence) > 0) {
      const std::size_t at = late_.index * TokenSize();
      Store(late_.layer, late_.sequence, late_.k + at, late_.v + at);
    }
    return Cache::Attend(layer, count, sequences, q, out);
  }

 private:
  struct Late {
    int layer;
    int sequence;
    const float* k;
    const float* v;
    std::size_t index;
  };
  Late late_ = {};
};

}  // namespace

PLAIN_EXPORT(Spoilt);
