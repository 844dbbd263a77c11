// SPDX-License-Identifier: Apache-2.0
// One step of decoding over a paged cache of keys and values in half: indirect addresses, shuffles,
// dynamic shared memory sized by the longest sequence.
#include <algorithm>

#include "../common/check.h"
#include "../common/paged_attention.cuh"

int main() {
  using namespace paged_attention;
  const Problem p = Make({1, 16, 33, 100}, 3, check::Random(5));
  const float scale = 1.0F / std::sqrt(static_cast<float>(kDim));
  const check::DeviceArray<__half> q(p.q), keys(p.keys), values(p.values), out(p.q.size());
  const check::DeviceArray<int> table(p.table), lengths(p.lengths);
  const dim3 grid(p.heads, p.sequences);
  Decode<<<grid, kWarps * 32, p.max_pages * kPage * sizeof(float)>>>(
      q.get(), keys.get(), values.get(), table.get(), lengths.get(), out.get(),
      Shape{p.heads, p.max_pages}, scale);
  SYNCHRONIZE();
  std::vector<float> got;
  for (const __half value : out.Download()) {
    got.push_back(__half2float(value));
  }
  check::ExpectNear("attention", got, Compute(p, scale), 1e-5, 0x1p-10);
  return check::Finish();
}
