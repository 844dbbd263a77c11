// SPDX-License-Identifier: Apache-2.0
// CUDA, what calls of sizes that were not asked before leave behind, beside what like calls keep
// (suite_cuda_time.cc): tag `cuda`, and that of the operation. Against scratch and plans that are
// kept for each size, of which there is no end.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaLeaks : public LayerNormCudaTest {
 protected:
  static constexpr std::size_t kLargest = 1201;
  /// 8 bytes for each element of a size are more; an allocator may need some room for sizes that it
  /// has not met.
  static constexpr std::int64_t kAllowed_bytes = std::int64_t{512} << 10;
  static constexpr std::int64_t kAllowedOnDevice_bytes = std::int64_t{64} << 10;

  /// `call(role, problem)` calls the pass `of`, of so many features, then of so many rows: the
  /// largest first, down to the least, so that every kernel was loaded; then other sizes, which
  /// need no more than those.
  template <class Call>
  void ExpectNothingKeptOverSizes(const std::string& of, Call call) {
    const std::string_view role = Schedules().front();
    const Problem<float> largest = Random(2, kLargest);
    const auto call_of = [&](std::size_t size) {
      for (const auto& [rows, features] :
           {std::pair(std::size_t{2}, size), std::pair(size, std::size_t{2})}) {
        Problem<float> problem = largest;
        problem.rows = rows;
        problem.features = features;
        problem.gamma.resize(features);
        problem.beta.resize(features);
        problem.x.resize(rows * features);
        problem.dy.resize(rows * features);
        call(role, problem);
      }
    };
    RestartHost(role);
    for (std::size_t step = 0; 8 * step < kLargest; ++step) {
      call_of(kLargest - 8 * step);
    }
    for (const std::size_t whole_fours : {4U, 12U, 100U, 400U, 1000U}) {
      call_of(whole_fours);
    }
    const std::int64_t before_bytes = PrivateBytes(role);
    const auto before_on_device_bytes = static_cast<std::int64_t>(DeviceBytes(role));
    for (std::size_t size = 2; size < kLargest; size += 7) {
      call_of(size);
    }
    const std::int64_t kept_bytes = sanitized() ? 0 : PrivateBytes(role) - before_bytes;
    const std::int64_t kept_on_device_bytes =
        static_cast<std::int64_t>(DeviceBytes(role)) - before_on_device_bytes;
    if (kept_bytes > kAllowed_bytes || kept_on_device_bytes > kAllowedOnDevice_bytes) {
      FailCase("calls of " + of + " of hundreds of other sizes kept " + std::to_string(kept_bytes) +
               " bytes of the process's memory, " + std::to_string(kAllowed_bytes) +
               " are allowed, and " + std::to_string(kept_on_device_bytes) + " of the device's, " +
               std::to_string(kAllowedOnDevice_bytes) + " are allowed");
    }
  }
};

TEST_F(CudaLeaks, HundredsOfSizesOfForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRight(Random(2, 33));  // Who does nothing keeps nothing.
  ExpectNothingKeptOverSizes("forward", [&](std::string_view role, const Problem<float>& problem) {
    RunForward(role, problem, {});
  });
}

TEST_F(CudaLeaks, HundredsOfSizesOfBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 33));  // Who does nothing keeps nothing.
  ExpectNothingKeptOverSizes("backward", [&](std::string_view role, const Problem<float>& problem) {
    // Of no x: what is judged is memory alone.
    const RowStatistics statistics{.mean = std::vector<float>(problem.rows, 0.0F),
                                   .rstd = std::vector<float>(problem.rows, 1.0F)};
    RunBackward(role, problem, statistics, {});
  });
}

}  // namespace
}  // namespace assay::layernorm
