// SPDX-License-Identifier: Apache-2.0
// kv_paged_decode_f32_cuda at sizes that count together: tag `cuda`. Against shares of the work
// that are reckoned from a size in one place and from the same size rounded up in another, and
// against products of sizes in a type that holds each of them and not all.

#include <cstddef>
#include <cstdint>

#include "suite_cuda.h"

namespace assay::kvcache {
namespace {

class CudaSizes : public KvCudaTest {
 protected:
  void SetUp() override {
    KvCudaTest::SetUp();
    Tag({"cuda"});
    NeedDecode();
  }

  /// Under one schedule.
  void ExpectRightOnce(const PagedShape& shape) {
    const PagedProblem problem = DrawPaged(random(), shape);
    KvCudaTest::ExpectRight(Solve(problem), problem, Decode(Schedules().front(), problem, {}));
  }

  /// Whether the query heads of a KV head have at most so many elements as they are, and more where
  /// each is rounded up to vectors of four.
  static bool FitsUnpaddedAlone(std::int32_t group, std::int32_t head_size, std::int32_t elements) {
    constexpr std::int32_t kVector = 4;
    const std::int32_t padded = (head_size + kVector - 1) / kVector * kVector;
    return group * head_size <= elements && group * padded > elements;
  }
};

/// As many heads as a number of threads has elements for, one each or several, if nobody rounds a
/// head up to whole vectors: whoever does in one place alone is a head short. Of the sizes of heads
/// every fourth, from one that is drawn.
TEST_F(CudaSizes, HeadsThatFitUnpaddedAlone) {
  constexpr std::int32_t kLargestHead = 256;
  constexpr std::int32_t kLargestGroup = 64;
  constexpr std::uint64_t kStep = 4;
  for (const std::int32_t elements : {256, 512, 1024, 2048}) {
    std::uint64_t turn = random()() % kStep;
    for (std::int32_t head_size = 1; head_size <= kLargestHead; ++head_size) {
      const std::int32_t group = elements / head_size;
      if (group < 2 || group > kLargestGroup || !FitsUnpaddedAlone(group, head_size, elements)) {
        continue;
      }
      if (turn++ % kStep == 0) {
        ExpectRightOnce(
            {.query_heads = group, .kv_heads = 1, .head_size = head_size, .lengths = {9}});
      }
    }
  }
}

/// Heads of one element: there are as many slots as elements, and 31 bits count neither. By heads
/// of many pages, by both, and by large pages: each product of the sizes is one that grows too
/// large.
TEST_F(CudaSizes, SlotsBeyondTwoToThe31) {
  constexpr std::size_t kBeyond = std::size_t{1} << 31U;
  struct Slots {
    std::int32_t kv_heads;
    std::int32_t page_size;
  };
  for (const auto& [kv_heads, page_size] : {Slots{2, 1}, Slots{3, 5}, Slots{1, 65'536}}) {
    ExpectRightOnce({.query_heads = 2 * kv_heads,
                     .kv_heads = kv_heads,
                     .head_size = 1,
                     .page_size = page_size,
                     .lengths = {12, 9},
                     .pool_extent = kBeyond});
  }
}

}  // namespace
}  // namespace assay::kvcache
