// SPDX-License-Identifier: Apache-2.0
// kv_paged_decode_f32_cuda after other calls, and as the first: tag `cuda`. Nothing may be
// remembered of one call for the next, and nothing may be left to one before.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
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

/// Calls of one sequence that is short and one that is cut into parts: both kinds of memory, that
/// of the process and that of its device, stay as they are (interface.h).
TEST_F(CudaHistory, NothingKept) {
  constexpr std::int64_t kAllowed_bytes = std::int64_t{64} << 10;
  constexpr int kFirstCalls = 100;
  constexpr int kWatchedCalls = 500;
  const std::string_view role = Schedules().front();
  for (const std::int32_t length : {40, 700}) {
    RestartHost(role);
    const PagedProblem problem = DrawPaged(random(), {.lengths = {length, 3, 5, 7}});
    ExpectRightOnce(problem);  // Who does nothing keeps nothing.
    const auto repeat = [&](int calls) {
      for (int i = 0; i < calls; ++i) {
        Decode(role, problem, {});
      }
    };
    repeat(kFirstCalls);
    const std::int64_t before_bytes = PrivateBytes(role);
    const auto before_on_device_bytes = static_cast<std::int64_t>(DeviceBytes(role));
    repeat(kWatchedCalls);
    const std::int64_t kept_bytes = sanitized() ? 0 : PrivateBytes(role) - before_bytes;
    const std::int64_t kept_on_device_bytes =
        static_cast<std::int64_t>(DeviceBytes(role)) - before_on_device_bytes;
    if (std::max(kept_bytes, kept_on_device_bytes) > kAllowed_bytes) {
      FailCase(
          fmt::format("{} calls with a sequence of {} tokens kept {} bytes of the process's "
                      "memory and {} of the device's; {} of each are allowed",
                      kWatchedCalls, length, kept_bytes, kept_on_device_bytes, kAllowed_bytes));
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

/// What the first call of a process decides, or the first that goes some way, must not hold for the
/// calls behind it: in a fresh host, and in another the last of them first. Sequences that are cut
/// into parts, and that are not, of heads and groups of several sizes each.
TEST_F(CudaHistory, FirstOfItsProcessIsAnother) {
  std::vector<PagedShape> shapes;
  const auto add = [&](std::int32_t group, std::int32_t head_size,
                       const std::vector<std::int32_t>& lengths) {
    shapes.push_back(
        {.query_heads = 2 * group, .kv_heads = 2, .head_size = head_size, .lengths = lengths});
  };
  add(1, 64, {});
  add(1, 1, {5});
  add(1, 256, {9, 0});
  for (const std::int32_t group : {8, 1}) {
    for (const std::int32_t head_size : {64, 61, 128, 256}) {
      add(group, head_size, {30});
      add(group, head_size, {1100});
    }
  }
  add(2, 64, {200, 30, 7});
  shapes.back().page_size = 13;
  add(1, 64, {3, 250});
  shapes.back().page_size = 64;
  InBothOrders({Schedules().front()}, shapes,
               [this](const PagedShape& shape) { ExpectRightOnce(DrawPaged(random(), shape)); });
}

}  // namespace
}  // namespace assay::kvcache
