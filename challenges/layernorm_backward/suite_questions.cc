// SPDX-License-Identifier: Apache-2.0
// The right answers to the questions of challenge.yaml. Tolerances are those of PROMPT.md.

#include "calculators.h"
#include "client/case.h"

namespace assay::layernorm {
namespace {

constexpr double kConvention = 0.40;  ///< Ways to count operations differ.
constexpr double kTraffic = 0.01;
constexpr double kUnfused = 0.05;
constexpr double kExact = 5e-4;

constexpr Workload kWide{.rows = 8192, .features = 768, .element_bytes = 4};
constexpr Workload kLong{.rows = 333, .features = 5000, .element_bytes = 8};
constexpr Workload kTall{.rows = 1000, .features = 4096, .element_bytes = 4};

constexpr Processor kA100{.flops_per_second = 19.5e12, .bytes_per_second = 2.04e12};
constexpr Processor kSoftFloat{.flops_per_second = 0.5e9, .bytes_per_second = 8e9};

bool RegisterComplexity() {
  return RegisterQuestion("complexity_forward_flops_8192x768", ForwardFlops(kWide), kConvention) &&
         RegisterQuestion("complexity_forward_flops_333x5000", ForwardFlops(kLong), kConvention) &&
         RegisterQuestion("complexity_backward_flops_8192x768", BackwardFlops(kWide),
                          kConvention) &&
         RegisterQuestion("complexity_backward_flops_333x5000", BackwardFlops(kLong),
                          kConvention) &&
         RegisterQuestion("complexity_forward_bytes_8192x768_f32", ForwardBytes(kWide), kTraffic) &&
         RegisterQuestion("complexity_forward_bytes_333x5000_f64", ForwardBytes(kLong), kTraffic) &&
         RegisterQuestion("complexity_backward_bytes_8192x768_f32", BackwardBytes(kWide),
                          kTraffic) &&
         RegisterQuestion("complexity_backward_bytes_333x5000_f64", BackwardBytes(kLong),
                          kTraffic) &&
         RegisterQuestion("complexity_saved_bytes_8192x768_f32", LeastSavedBytes(kWide), kExact) &&
         RegisterQuestion("complexity_saved_bytes_333x5000_f64", LeastSavedBytes(kLong), kExact) &&
         RegisterQuestion("complexity_backward_intensity_8192x768_f32", BackwardIntensity(kWide),
                          kConvention) &&
         RegisterQuestion("complexity_backward_intensity_333x5000_f64", BackwardIntensity(kLong),
                          kConvention) &&
         RegisterQuestion("complexity_backward_bound_a100", BackwardBound(kWide, kA100)) &&
         RegisterQuestion("complexity_backward_bound_soft_float", BackwardBound(kWide, kSoftFloat));
}

bool RegisterFusion() {
  constexpr Workload kPartials{.rows = 0, .features = 768, .element_bytes = 4};
  constexpr Workload kTallPartials{.rows = 0, .features = 4096, .element_bytes = 4};
  return RegisterQuestion("fusion_backward_fused_bytes_8192x768_f32", BackwardBytes(kWide),
                          kTraffic) &&
         RegisterQuestion("fusion_backward_fused_bytes_1000x4096_f32", BackwardBytes(kTall),
                          kTraffic) &&
         RegisterQuestion("fusion_backward_unfused_bytes_8192x768_f32", UnfusedBackwardBytes(kWide),
                          kUnfused) &&
         RegisterQuestion("fusion_backward_unfused_bytes_1000x4096_f32",
                          UnfusedBackwardBytes(kTall), kUnfused) &&
         RegisterQuestion("fusion_forward_fused_bytes_8192x768_f32", ForwardBytes(kWide),
                          kTraffic) &&
         RegisterQuestion("fusion_forward_fused_bytes_1000x4096_f32", ForwardBytes(kTall),
                          kTraffic) &&
         RegisterQuestion("fusion_partial_sum_bytes_132x768_f32", PartialSumBytes(kPartials, 132),
                          kTraffic) &&
         RegisterQuestion("fusion_partial_sum_bytes_108x4096_f32",
                          PartialSumBytes(kTallPartials, 108), kTraffic) &&
         RegisterQuestion("fusion_backward_launches", kBackwardLaunches, 0) &&
         RegisterQuestion("fusion_backward_launches_with_atomics", kBackwardLaunchesWithAtomics, 0);
}

[[maybe_unused]] const bool kRegistered = RegisterComplexity() && RegisterFusion();

}  // namespace
}  // namespace assay::layernorm
