// SPDX-License-Identifier: Apache-2.0
// Widths and numbers of rows behind which a kernel goes another way, with buffers of which one
// begins elsewhere than all others: tag `cuda`, and that of the operation.

#include <cstddef>
#include <string>
#include <string_view>

#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaSizes : public LayerNormCudaTest {
 protected:
  /// Calls `run(problem, place, role)` for widths that a warp, a few and a block share, of rows
  /// that one block takes and that several do, with each buffer in turn alone at 4 bytes.
  template <class Run>
  void ForEachBufferAlone(int buffers, Run run) {
    std::size_t turn = 0;
    for (const std::size_t features : {20U, 100U, 512U, 600U, 1024U, 4096U, 8192U, 8704U}) {
      for (const std::size_t rows : {3U, 40U}) {
        if (rows * features > 50'000) {
          continue;
        }
        const Problem<float> problem = Random(rows, features);
        for (int buffer = 0; buffer < buffers; ++buffer) {
          asked = "parameter " + std::to_string(buffer) + " of the buffers alone at 4 bytes";
          run(problem, CallPlace{.offset_bytes = 4, .alone = buffer},
              Schedules()[turn++ % Schedules().size()]);
        }
      }
    }
  }
};

TEST_F(CudaSizes, OneBufferOfForwardAloneAtAnyWidth) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ForEachBufferAlone(kForwardBuffers, [&](const Problem<float>& problem, const CallPlace& place,
                                          std::string_view role) {
    ExpectRight(Solve(problem), RunForward(role, problem, place));
  });
}

TEST_F(CudaSizes, OneBufferOfBackwardAloneAtAnyWidth) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ForEachBufferAlone(kBackwardBuffers, [&](const Problem<float>& problem, const CallPlace& place,
                                           std::string_view role) {
    const RowStatistics statistics = StatisticsOf(problem);
    ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
                RunBackward(role, problem, statistics, place));
  });
}

/// What the first call of a process decides, or the first that goes some way, must not hold for the
/// calls behind it: of two sizes of each way at least, in a fresh host, and in another the last of
/// them first.
TEST_F(CudaSizes, FirstOfItsProcessIsAnother) {
  Tag({"cuda", "combinations"});
  NeedForward();
  NeedBackward();
  struct Asked {
    std::size_t rows;
    std::size_t features;
    std::size_t offset_bytes = 0;
  };
  constexpr Asked kCalls[] = {{0, 64},   {0, 300},  {1, 1},     {4, 1},     {4, 12},   {3, 16},
                              {4, 63},   {4, 64},   {4, 64, 4}, {1, 64},    {300, 64}, {900, 64},
                              {4, 200},  {4, 512},  {4, 600},   {3, 1024},  {4, 2001}, {4, 4096},
                              {3, 5000}, {3, 8192}, {3, 8704},  {2, 12'000}};
  const std::string_view role = Schedules().front();
  InBothOrders({role}, kCalls, [&](const Asked& call) {
    const Problem<float> problem = Random(call.rows, call.features);
    const CallPlace place = {.offset_bytes = call.offset_bytes};
    ExpectRight(Solve(problem), RunForward(role, problem, place));
    const RowStatistics statistics = StatisticsOf(problem);
    ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
                RunBackward(role, problem, statistics, place));
  });
}

/// More rows than 20 bits count.
TEST_F(CudaSizes, MillionsOfRowsOfForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  const auto problem = Random(1'048'600, 1);
  ExpectRight(Solve(problem), RunForward(Schedules().back(), problem, {}));
}

TEST_F(CudaSizes, MillionsOfRowsOfBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  const auto problem = Random(1'048'600, 1);
  const RowStatistics statistics = StatisticsOf(problem);
  ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
              RunBackward(Schedules().back(), problem, statistics, {}));
}

}  // namespace
}  // namespace assay::layernorm
