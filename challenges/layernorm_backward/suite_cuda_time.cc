// SPDX-License-Identifier: Apache-2.0
// CUDA, what hundreds of calls in one process keep: tag `cuda`, and `cuda_forward` or
// `cuda_backward`.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaTime : public LayerNormCudaTest {
 protected:
  static constexpr std::size_t kRows = 40;
  static constexpr std::size_t kNarrow = 33;
  /// Wider than what the baseline has in registers.
  static constexpr std::size_t kWide = 8197;

  /// After so many calls a process may grow no more than by so much (interface.h).
  static constexpr int kFirstCalls = 500;
  static constexpr std::int64_t kAllowed_bytes = std::int64_t{96} << 10;

  /// `call(role, problem)` calls the pass `of`, kFirstCalls times and then watched. What the
  /// process holds of the device does not grow at all with like calls, but for an allocator's
  /// rounding: 8 bytes for each row of a call are more.
  template <class Call>
  void ExpectNothingKept(const std::string& of, Call call) {
    constexpr std::int64_t kAllowedOnDevice_bytes = std::int64_t{16} << 10;
    struct Watched {
      std::size_t features;
      int calls;
    };
    const std::string_view role = Schedules().front();
    const Problem<float> narrow = Random(kRows, kNarrow);
    RestartHost(role);
    for (int i = 0; i < kFirstCalls; ++i) {
      call(role, narrow);
    }
    for (const Watched watched : {Watched{kWide, 60}, Watched{kNarrow, 320}}) {
      const Problem<float> problem = Random(kRows, watched.features);
      call(role, problem);
      const std::int64_t before_bytes = PrivateBytes(role);
      const auto before_on_device_bytes = static_cast<std::int64_t>(DeviceBytes(role));
      for (int i = 0; i < watched.calls; ++i) {
        call(role, problem);
      }
      const std::int64_t kept_bytes = sanitized() ? 0 : PrivateBytes(role) - before_bytes;
      const std::int64_t kept_on_device_bytes =
          static_cast<std::int64_t>(DeviceBytes(role)) - before_on_device_bytes;
      if (kept_bytes > kAllowed_bytes || kept_on_device_bytes > kAllowedOnDevice_bytes) {
        FailCase(std::to_string(watched.calls) + " calls of " + of + " of " +
                 std::to_string(kRows) + "x" + std::to_string(watched.features) + " kept " +
                 std::to_string(kept_bytes) + " bytes of the process's memory, " +
                 std::to_string(kAllowed_bytes) + " are allowed, and " +
                 std::to_string(kept_on_device_bytes) + " of the device's, " +
                 std::to_string(kAllowedOnDevice_bytes) + " are allowed");
      }
    }
  }
};

TEST_F(CudaTime, NothingKeptByForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRight(Random(kRows, kNarrow));  // Who does nothing keeps nothing.
  ExpectNothingKept("forward", [&](std::string_view role, const Problem<float>& problem) {
    RunForward(role, problem, {});
  });
}

TEST_F(CudaTime, NothingKeptByBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(kRows, kNarrow));  // Who does nothing keeps nothing.
  // Of another problem of as many rows: what is judged is memory alone.
  const RowStatistics statistics = StatisticsOf(Random(kRows, kNarrow));
  ExpectNothingKept("backward", [&](std::string_view role, const Problem<float>& problem) {
    RunBackward(role, problem, statistics, {});
  });
}

/// A plan that is kept for each shape, of shapes that do not come again.
TEST_F(CudaTime, NothingKeptOfShapesThatWorkspacesAreAskedFor) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  constexpr int kCalls = 5000;
  ExpectBackwardRight(Random(kRows, kNarrow));  // The sizes of who refuses it are of nothing.
  const std::string_view role = Schedules().front();
  RestartHost(role);
  std::int64_t before_bytes = 0;
  Problem<float> problem;
  problem.features = 64;
  for (int call = 1; call <= kCalls; ++call) {
    problem.rows = static_cast<std::size_t>(call);
    WorkspaceBytes(role, problem);
    if (call == kFirstCalls) {
      before_bytes = PrivateBytes(role);
    }
  }
  const std::int64_t kept_bytes = sanitized() ? 0 : PrivateBytes(role) - before_bytes;
  if (kept_bytes > kAllowed_bytes) {
    FailCase(std::to_string(kCalls - kFirstCalls) + " calls of " +
             std::string(kBackwardCudaWorkspace) + ", each of another number of rows, kept " +
             std::to_string(kept_bytes) + " bytes of the process's memory, " +
             std::to_string(kAllowed_bytes) + " are allowed");
  }
}

}  // namespace
}  // namespace assay::layernorm
