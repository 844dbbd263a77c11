// SPDX-License-Identifier: Apache-2.0
// What the CUDA operations refuse leaves all outputs as they were: tag `cuda`, and that of the
// operation.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "interface.h"
#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaStatuses : public LayerNormCudaTest {
 protected:
  /// The status of a call on the first schedule, one of `allowed`: one that refuses has left its
  /// outputs as they were. Backward with a workspace of so many bytes, whatever it asks for.
  int StatusOfForward(const Problem<float>& problem, std::initializer_list<int> allowed) {
    std::vector<float> y(problem.x.size(), kHeld);
    std::vector<float> mean(problem.rows, kHeld);
    std::vector<float> rstd(problem.rows, kHeld);
    gpu::DeviceInvocation call{std::string(kForwardCuda)};
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
    call.Input(problem.beta).Scalar(problem.eps).InOut(y).InOut(mean).InOut(rstd);
    call.Scalar(std::uint32_t{0});
    const int status = CallOnDeviceExpectingOneOf(allowed, Schedules().front(), call).reply.status;
    ExpectHeldWhereRefused(status, "y", y);
    ExpectHeldWhereRefused(status, "mean", mean);
    ExpectHeldWhereRefused(status, "rstd", rstd);
    return status;
  }

  int StatusOfBackward(const Problem<float>& problem, const RowStatistics& statistics,
                       std::size_t workspace_bytes, std::initializer_list<int> allowed) {
    std::vector<float> dx(problem.x.size(), kHeld);
    std::vector<float> dgamma(problem.features, kHeld);
    std::vector<float> dbeta(problem.features, kHeld);
    gpu::DeviceInvocation call{std::string(kBackwardCuda)};
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Input(problem.x);
    call.Input(problem.gamma).Input(statistics.mean).Input(statistics.rstd).InOut(dx);
    call.InOut(dgamma).InOut(dbeta).Scratch(workspace_bytes).Scalar(workspace_bytes);
    call.Scalar(std::uint32_t{0});
    const int status = CallOnDeviceExpectingOneOf(allowed, Schedules().front(), call).reply.status;
    ExpectHeldWhereRefused(status, "dx", dx);
    ExpectHeldWhereRefused(status, "dgamma", dgamma);
    ExpectHeldWhereRefused(status, "dbeta", dbeta);
    return status;
  }

  /// Refused with nearly the right size, and as right as ever in the call after it. Where the right
  /// one is unsupported the case is skipped.
  void ExpectWorkspaceMatters(const Problem<float>& problem) {
    const RowStatistics statistics = StatisticsOf(problem);
    const Answer answer = SolveWith(problem, statistics.mean, statistics.rstd);
    asked = "with the right workspace";
    ExpectRight(answer, RunBackward(Schedules().front(), problem, statistics, {}));
    const std::size_t right_bytes = WorkspaceBytes(Schedules().front(), problem);
    for (const std::size_t bytes : {right_bytes + 1, right_bytes + 256, right_bytes / 2,
                                    right_bytes == 0 ? std::size_t{4} : right_bytes - 1}) {
      if (bytes == right_bytes) {
        continue;
      }
      StatusOfBackward(problem, statistics, bytes, {LN_INVALID_ARGUMENT});
      asked = "after a workspace of " + std::to_string(bytes) + " bytes";
      ExpectRight(answer, RunBackward(Schedules().front(), problem, statistics, {}));
    }
  }

 private:
  /// What outputs hold that a call may refuse to write.
  static constexpr float kHeld = 7.25F;

  void ExpectHeldWhereRefused(int status, std::string_view name, const std::vector<float>& output) {
    const auto written = std::ranges::find_if(output, [](float value) { return value != kHeld; });
    if (status != LN_OK && written != output.end()) {
      FailCase(std::string(name) + "[" + std::to_string(written - output.begin()) +
               "] was written by a call that returned " + std::to_string(status));
    }
  }
};

/// Wider than need be supported: right, or refused before anything is written.
TEST_F(CudaStatuses, WideRowsOfForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRight(Random(2, 24));  // Whoever refuses all writes nothing.
  for (const std::size_t features : {65'537U, 100'003U, 262'144U}) {
    const auto problem = Random(2, features);
    if (StatusOfForward(problem, {LN_OK, LN_UNSUPPORTED}) == LN_OK) {
      ExpectForwardRight(problem);
    }
  }
}

TEST_F(CudaStatuses, WideRowsOfBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  for (const std::size_t features : {65'537U, 100'003U, 262'144U}) {
    const auto problem = Random(2, features);
    const RowStatistics statistics = StatisticsOf(problem);
    const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
    if (StatusOfBackward(problem, statistics, bytes, {LN_OK, LN_UNSUPPORTED}) == LN_OK) {
      ExpectBackwardRight(problem, statistics);
    }
  }
}

TEST_F(CudaStatuses, WrongWorkspaceOfBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  for (const std::size_t features : {1U, 64U, 1000U, 9001U}) {
    for (const std::size_t rows : {1U, 40U}) {
      const auto problem = Random(rows, features);
      const RowStatistics statistics = StatisticsOf(problem);
      const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
      for (const std::size_t wrong_bytes :
           {std::size_t{0}, bytes / 2, bytes + 4, 2 * bytes, std::size_t{12'345'677}}) {
        if (wrong_bytes != bytes) {
          StatusOfBackward(problem, statistics, wrong_bytes, {LN_INVALID_ARGUMENT});
        }
      }
    }
  }
}

/// A workspace of nearly the right size, and none; also where there is nothing to do with it.
TEST_F(CudaStatuses, WorkspaceOffByALittle) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectWorkspaceMatters(Random(40, 64));
  ExpectWorkspaceMatters(Random(0, 64));
  ExpectWorkspaceMatters(Random(1, 64));
  ExpectWorkspaceMatters(Random(40, 1));
  ExpectWorkspaceMatters(Random(2, 9001));
}

/// Widths that need not be supported: what is refused asks for none.
TEST_F(CudaStatuses, NoWorkspaceForWhatIsRefused) {
  Tag({"cuda", "cuda_backward"});
  ExpectBackwardRight(Random(2, 24));  // Whoever refuses all asks for none.
  for (const std::size_t features : {65'537U, 100'003U}) {
    const auto problem = Random(3, features);
    const RowStatistics statistics = StatisticsOf(problem);
    const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
    const int status = StatusOfBackward(problem, statistics, bytes, {LN_OK, LN_UNSUPPORTED});
    if (status == LN_UNSUPPORTED && bytes != 0) {
      FailCase("a workspace of " + std::to_string(bytes) + " bytes is asked for where " +
               std::to_string(features) + " features are refused");
    }
  }
}

/// What is empty may be null.
TEST_F(CudaStatuses, NoRowsOfNullPointersInForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRight(Random(2, 24));
  const auto problem = Random(0, 24);
  std::vector<float> none;
  gpu::DeviceInvocation call{std::string(kForwardCuda)};
  call.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
  call.Input(problem.beta).Scalar(problem.eps).Output(none).Output(none).Output(none);
  call.EmptyIsNull().Scalar(std::uint32_t{0});
  CallOnDeviceExpecting(LN_OK, Schedules().front(), call);
}

TEST_F(CudaStatuses, NoRowsOfNullPointersInBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  const auto problem = Random(0, 24);
  const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
  std::vector<float> none;
  std::vector<float> dgamma(problem.features);
  std::vector<float> dbeta(problem.features);
  gpu::DeviceInvocation call{std::string(kBackwardCuda)};
  call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Input(problem.x);
  call.Input(problem.gamma).Input(none).Input(none).Output(none).Output(dgamma).Output(dbeta);
  call.EmptyIsNull().Scratch(bytes).Scalar(bytes).Scalar(std::uint32_t{0});
  CallOnDeviceExpecting(LN_OK, Schedules().front(), call);
  const std::vector<float> zeros(problem.features, 0.0F);
  if (dgamma != zeros || dbeta != zeros) {
    FailCase("dgamma or dbeta of no rows is not 0");
  }
}

}  // namespace
}  // namespace assay::layernorm
