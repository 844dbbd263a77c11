// SPDX-License-Identifier: Apache-2.0
// What the CUDA operations refuse leaves all outputs as they were: tag `cuda`, and that of the
// operation.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interface.h"
#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaStatuses : public LayerNormCudaTest {
 protected:
  /// What the calls' outputs hold.
  static constexpr float kHeld = 7.25F;

  void ExpectHeldWhereRefused(int status, const std::vector<float>& output,
                              const std::string& which) {
    for (std::size_t i = 0; status != LN_OK && i < output.size(); ++i) {
      if (output[i] != kHeld) {
        FailCase(which + "[" + std::to_string(i) + "] was written by a call that returned " +
                 std::to_string(status));
      }
    }
  }

  int StatusOfForward(const Problem<float>& problem) {
    std::vector<float> y(problem.x.size(), kHeld);
    std::vector<float> mean(problem.rows, kHeld);
    std::vector<float> rstd(problem.rows, kHeld);
    gpu::DeviceInvocation call{std::string(kForwardCuda)};
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
    call.Input(problem.beta).Scalar(problem.eps).InOut(y).InOut(mean).InOut(rstd);
    call.Scalar(std::uint32_t{0});
    const int status = CallOnDevice(Schedules().front(), call).reply.status;
    ExpectHeldWhereRefused(status, y, "y");
    ExpectHeldWhereRefused(status, mean, "mean");
    ExpectHeldWhereRefused(status, rstd, "rstd");
    return status;
  }

  int StatusOfBackward(const Problem<float>& problem, std::size_t workspace_bytes) {
    const RowStatistics statistics = StatisticsOf(problem);
    std::vector<float> dx(problem.x.size(), kHeld);
    std::vector<float> dgamma(problem.features, kHeld);
    std::vector<float> dbeta(problem.features, kHeld);
    gpu::DeviceInvocation call{std::string(kBackwardCuda)};
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Input(problem.x);
    call.Input(problem.gamma).Input(statistics.mean).Input(statistics.rstd).InOut(dx);
    call.InOut(dgamma).InOut(dbeta).Scratch(workspace_bytes).Scalar(workspace_bytes);
    call.Scalar(std::uint32_t{0});
    const int status = CallOnDevice(Schedules().front(), call).reply.status;
    ExpectHeldWhereRefused(status, dx, "dx");
    ExpectHeldWhereRefused(status, dgamma, "dgamma");
    ExpectHeldWhereRefused(status, dbeta, "dbeta");
    return status;
  }

  void ExpectStatus(int wanted, int got, const std::string& of) {
    if (got != wanted) {
      FailCase(of + " returned " + std::to_string(got) + " instead of " + std::to_string(wanted));
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
    const int status = StatusOfForward(problem);
    if (status == LN_OK) {
      ExpectForwardRight(problem);
    } else {
      ExpectStatus(LN_UNSUPPORTED, status, "forward of 2x" + std::to_string(features));
    }
  }
}

TEST_F(CudaStatuses, WideRowsOfBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  for (const std::size_t features : {65'537U, 100'003U, 262'144U}) {
    const auto problem = Random(2, features);
    const int status = StatusOfBackward(problem, WorkspaceBytes(Schedules().front(), problem));
    if (status == LN_OK) {
      ExpectBackwardRight(problem);
    } else {
      ExpectStatus(LN_UNSUPPORTED, status, "backward of 2x" + std::to_string(features));
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
      const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
      for (const std::size_t wrong_bytes : {std::size_t{0}, bytes / 2, bytes + 4, 2 * bytes}) {
        if (wrong_bytes != bytes) {
          ExpectStatus(LN_INVALID_ARGUMENT, StatusOfBackward(problem, wrong_bytes),
                       "backward with " + std::to_string(wrong_bytes) + " of " +
                           std::to_string(bytes) + " bytes of workspace");
        }
      }
    }
  }
}

/// What is empty may be null.
TEST_F(CudaStatuses, NoRowsOfNullPointersInForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRight(Random(2, 24));
  const auto problem = Random(0, 24);
  gpu::DeviceInvocation call{std::string(kForwardCuda)};
  call.Scalar(problem.rows).Scalar(problem.features).Scratch(0).Input(problem.gamma);
  call.Input(problem.beta).Scalar(problem.eps).Scratch(0).Scratch(0).Scratch(0);
  call.Scalar(std::uint32_t{0});
  CallOnDeviceExpecting(LN_OK, Schedules().front(), call);
}

TEST_F(CudaStatuses, NoRowsOfNullPointersInBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  const auto problem = Random(0, 24);
  const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
  std::vector<float> dgamma(problem.features);
  std::vector<float> dbeta(problem.features);
  gpu::DeviceInvocation call{std::string(kBackwardCuda)};
  call.Scalar(problem.rows).Scalar(problem.features).Scratch(0).Scratch(0).Input(problem.gamma);
  call.Scratch(0).Scratch(0).Scratch(0).Output(dgamma).Output(dbeta);
  call.Scratch(bytes).Scalar(bytes).Scalar(std::uint32_t{0});
  CallOnDeviceExpecting(LN_OK, Schedules().front(), call);
  const std::vector<float> zeros(problem.features, 0.0F);
  if (dgamma != zeros || dbeta != zeros) {
    FailCase("dgamma or dbeta of no rows is not 0");
  }
}

}  // namespace
}  // namespace assay::layernorm
