// SPDX-License-Identifier: Apache-2.0
// The CUDA form against the oracle at NaN, infinities and zeros of both signs, in every slot of
// small pages, read and unread, on the emulated GPU.

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "interface.h"
#include "on_device.h"
#include "oracle.h"
#include "special_values.h"

namespace assay::kvcache {
namespace {

/// A page for each row of four special values, and of each page five sequences, of 0 to 4 tokens.
/// What a sequence does not reach, or another one reads, must not act on it.
TEST(KvSpecialValuesInCuda, EveryPageOfFour_AndEveryLength) {
  constexpr std::size_t kPageSize = 4;
  constexpr std::size_t kLengths = kPageSize + 1;
  const std::vector<float> k = EveryRowOf(kSpecialValues<float>, kPageSize);
  const std::vector<float> v(k.rbegin(), k.rend());
  const std::size_t pages = k.size() / kPageSize;
  const std::size_t sequences = pages * kLengths;
  std::vector<std::int32_t> table(sequences);
  std::vector<std::int32_t> lengths(sequences);
  std::vector<float> q(sequences);
  for (std::size_t s = 0; s < sequences; ++s) {
    table[s] = static_cast<std::int32_t>(s / kLengths);
    lengths[s] = static_cast<std::int32_t>(s % kLengths);
    q[s] = std::sin(static_cast<float>(s));
  }
  const auto count = static_cast<std::int32_t>(sequences);
  OnDevice<float> queries(q);
  OnDevice<float> key_pages(k);
  OnDevice<float> value_pages(v);
  OnDevice<std::int32_t> page_table(table);
  OnDevice<std::int32_t> of_sequences(lengths);
  OnDevice<float> out(sequences);
  OnDevice<char> workspace(kv_paged_decode_cuda_workspace_bytes(count, 1, 1, 1, kPageSize, 1));
  ASSERT_EQ(kv_paged_decode_f32_cuda(count, 1, 1, 1, kPageSize, queries.get(), key_pages.get(),
                                     value_pages.get(), page_table.get(), 1, of_sequences.get(),
                                     out.get(), workspace.get(), workspace.size_bytes(), nullptr),
            KV_OK);
  const Config config{.head_size = 1, .capacity = kPageSize};
  const std::vector<float> got = out.Read();
  for (std::size_t s = 0; s < sequences; ++s) {
    const auto length = static_cast<std::size_t>(lengths[s]);
    const std::size_t first = s / kLengths * kPageSize;
    const History history{.k = {&k[first], &k[first] + length},
                          .v = {&v[first], &v[first] + length}};
    const Answer want = Attend(config, history, length == 0 ? 0 : length - 1, std::span(&q[s], 1));
    if (!std::isnan(want.bound[0])) {
      ASSERT_LE(std::abs(static_cast<double>(got[s]) - want.out[0]), want.bound[0])
          << "page " << s / kLengths << ", " << length << " tokens: " << got[s] << " instead of "
          << want.out[0];
    }
  }
}

}  // namespace
}  // namespace assay::kvcache
