// SPDX-License-Identifier: Apache-2.0
// Calls of kv_paged_decode_f32_cuda that are refused, and which reason comes first: tag `cuda`.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "interface.h"
#include "suite_cuda.h"

namespace assay::kvcache {
namespace {

class CudaStatuses : public KvCudaTest {
 protected:
  void SetUp() override {
    KvCudaTest::SetUp();
    Tag({"cuda"});
    NeedDecode();
  }

  std::uint64_t NeededBytes(const PagedProblem& problem) {
    const PagedShape& shape = problem.shape;
    std::array<std::uint64_t, 1> bytes{};
    Invocation question{std::string(kDecodeCudaWorkspace)};
    question.Scalar(problem.SaidSequences()).Scalar(shape.query_heads).Scalar(shape.kv_heads);
    question.Scalar(shape.head_size).Scalar(shape.page_size).Scalar(problem.table_stride);
    question.Output(bytes);
    CallExpecting(KV_OK, Schedules().front(), question);
    return bytes[0];
  }

  /// The call gets that status, under each schedule, and where `out` holds something leaves it.
  void ExpectUntouched(int status, const PagedProblem& problem, std::uint64_t more_bytes = 0) {
    ExpectRefused(status, problem, more_bytes);
    constexpr float kHeld = 7.25F;
    const PagedShape& shape = problem.shape;
    const std::uint64_t bytes = NeededBytes(problem) + more_bytes;
    std::vector<float> out(problem.q.size(), kHeld);
    gpu::DeviceInvocation call{std::string(kDecodeCuda)};
    call.Scalar(problem.SaidSequences()).Scalar(shape.query_heads).Scalar(shape.kv_heads);
    call.Scalar(shape.head_size).Scalar(shape.page_size).Input(problem.q);
    call.Input(problem.key_pages).Input(problem.value_pages).Input(problem.page_table);
    call.Scalar(problem.table_stride).Input(shape.lengths).InOut(out).Scratch(bytes);
    call.Scalar(static_cast<std::size_t>(bytes));
    call.Scalar(static_cast<std::uint32_t>(gpu::StreamKind::kDefault));
    CallOnDeviceExpecting(status, Schedules().front(), call);
    if (std::ranges::any_of(out, [](float value) { return value != kHeld; })) {
      FailCase(fmt::format("a call that returned {} wrote to out", status));
    }
  }
};

TEST_F(CudaStatuses, Refusals) {
  const PagedShape shape{.query_heads = 6, .kv_heads = 2, .lengths = {20, 3}};
  const PagedProblem right = DrawPaged(random(), shape);
  for (const auto& [query_heads, kv_heads] :
       {std::pair{5, 2}, std::pair{2, 6}, std::pair{0, 2}, std::pair{6, 0}, std::pair{6, -2}}) {
    PagedProblem wrong = right;
    wrong.shape.query_heads = query_heads;
    wrong.shape.kv_heads = kv_heads;
    ExpectUntouched(KV_INVALID_ARGUMENT, wrong);
  }
  for (const std::int32_t head_size : {0, -64}) {
    PagedProblem wrong = right;
    wrong.shape.head_size = head_size;
    ExpectUntouched(KV_INVALID_ARGUMENT, wrong);
  }
  PagedProblem wrong = right;
  wrong.shape.page_size = 0;
  ExpectUntouched(KV_INVALID_ARGUMENT, wrong);
  for (const std::int32_t table_stride : {0, -1}) {
    wrong = right;
    wrong.table_stride = table_stride;
    ExpectUntouched(KV_INVALID_ARGUMENT, wrong);
  }
  wrong = right;
  wrong.said_sequences = -1;
  ExpectUntouched(KV_INVALID_ARGUMENT, wrong);
  wrong = right;
  wrong.shape.head_size = 257;
  ExpectUntouched(KV_UNSUPPORTED, wrong);
  ExpectUntouched(KV_INVALID_ARGUMENT, wrong, 1'234'567);  // What is invalid comes first.
  ExpectUntouched(KV_INVALID_ARGUMENT, right, 1'234'567);
  // Without sequences there is nothing to do, but what is invalid stays so.
  wrong = right;
  wrong.said_sequences = 0;
  ExpectUntouched(KV_INVALID_ARGUMENT, wrong, 1'234'567);
  wrong.shape.kv_heads = 4;
  ExpectUntouched(KV_INVALID_ARGUMENT, wrong);
  // Nor does what is not supported become supported.
  wrong = right;
  wrong.said_sequences = 0;
  wrong.shape.head_size = 257;
  ExpectUntouched(KV_UNSUPPORTED, wrong);
}

/// Of sequences that may be shared out, for which some is needed, and of such as need none.
TEST_F(CudaStatuses, WorkspaceOfAnotherSize) {
  for (const std::int32_t length : {20, 1000, 5000}) {
    const PagedProblem problem = DrawPaged(
        random(), {.query_heads = 2, .kv_heads = 1, .head_size = 16, .lengths = {length}});
    ExpectRight(problem);
    const std::uint64_t needed_bytes = NeededBytes(problem);
    for (const std::uint64_t more_bytes : {1U, 8U, 256U}) {
      ExpectUntouched(KV_INVALID_ARGUMENT, problem, more_bytes);
      if (needed_bytes >= more_bytes) {
        ExpectUntouched(KV_INVALID_ARGUMENT, problem, 0 - more_bytes);
      }
    }
    if (needed_bytes > 0) {
      ExpectUntouched(KV_INVALID_ARGUMENT, problem, needed_bytes);
      ExpectUntouched(KV_INVALID_ARGUMENT, problem, 0 - needed_bytes);
    }
  }
}

}  // namespace
}  // namespace assay::kvcache
