// SPDX-License-Identifier: Apache-2.0
// A step of decoding over a paged cache: 8 sequences of 1024 tokens, 32 heads of 128, in half.
#include <algorithm>

#include "../common/check.h"
#include "../common/paged_attention.cuh"

int main() {
  using namespace paged_attention;
  const Problem p = Make(std::vector<int>(8, 1024), 32, check::Random(3));
  const check::DeviceArray<__half> q(p.q), keys(p.keys), values(p.values), out(p.q.size());
  const check::DeviceArray<int> table(p.table), lengths(p.lengths);
  for (int launch = 0; launch < check::kBenchLaunches; ++launch) {
    Decode<<<dim3(p.heads, p.sequences), kWarps * 32, p.max_pages * kPage * sizeof(float)>>>(
        q.get(), keys.get(), values.get(), table.get(), lengths.get(), out.get(),
        Shape{p.heads, p.max_pages}, 0.088F);
    SYNCHRONIZE();
  }
  return 0;
}
