// SPDX-License-Identifier: Apache-2.0
// kv_paged_decode_f32_cuda after other calls, and as the first: tag `cuda`. Nothing may be
// remembered of one call for the next, and nothing may be left to one before.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "suite_cuda.h"

namespace assay::kvcache {
namespace {

class CudaHistory : public KvCudaTest {
 protected:
  void SetUp() override {
    KvCudaTest::SetUp();
    Tag({"cuda"});
    NeedDecode();
  }

  /// Under one schedule.
  void ExpectRightOnce(const PagedProblem& problem) {
    KvCudaTest::ExpectRight(Solve(problem), problem, Decode(Schedules().front(), problem, {}));
  }
};

/// Each the first call of its process, in which no larger one has asked for shared memory.
TEST_F(CudaHistory, HeadSizesAlone) {
  for (const std::int32_t head_size : {160, 176, 192, 208, 224, 240, 256}) {
    for (const std::int32_t group : {1, 4}) {
      const PagedProblem problem = DrawPaged(
          random(), {.query_heads = group, .kv_heads = 1, .head_size = head_size, .lengths = {40}});
      RestartHost(Schedules().front());
      ExpectRightOnce(problem);
    }
  }
}

/// Two in turn, one of whose numbers is another: what is remembered of one is not the other's.
TEST_F(CudaHistory, CallsThatDifferInOneNumber) {
  constexpr std::int32_t kEntries = 16;
  const PagedShape one{.query_heads = 2, .kv_heads = 2, .page_size = 16, .lengths = {200, 30}};
  std::vector<PagedShape> others;
  const auto add = [&](auto change) {
    others.push_back(one);
    change(others.back());
  };
  add([](PagedShape& other) { other.page_size = 64, other.lengths.front() = 64 * kEntries; });
  add([](PagedShape& other) { other.page_size = 13; });
  add([](PagedShape& other) { other.head_size = 61; });
  add([](PagedShape& other) { other.query_heads = 4; });
  add([](PagedShape& other) { other.kv_heads = 1; });
  add([](PagedShape& other) { other.lengths = {200, 30, 7}; });
  add([](PagedShape& other) { other.lengths = {3, 250}; });
  for (const PagedShape& other : others) {
    for (PagedShape shape : {one, other, one}) {
      const std::int32_t longest = std::ranges::max(shape.lengths);
      shape.spare_entries = kEntries - (longest + shape.page_size - 1) / shape.page_size;
      ExpectRightOnce(DrawPaged(random(), shape));
    }
  }
}

}  // namespace
}  // namespace assay::kvcache
