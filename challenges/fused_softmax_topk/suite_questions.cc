// SPDX-License-Identifier: Apache-2.0
// The right answers to the questions of challenge.yaml. Tolerances are those of PROMPT.md.

#include "calculators.h"
#include "client/case.h"

namespace assay::softmax_topk {
namespace {

constexpr double kExact = 5e-4;
constexpr double kTraffic = 0.01;
constexpr double kOperations = 0.05;

constexpr Workload kBatch{.rows = 64, .vocabulary = 32'768, .k = 8};
constexpr Workload kFew{.rows = 3, .vocabulary = 151'936, .k = 50};
constexpr Workload kLargeK{.rows = 16, .vocabulary = 4096, .k = 1024};

constexpr Processor kSoftFloat{.flops_per_second = 0.5e9, .bytes_per_second = 8e9};

bool RegisterTraffic() {
  return RegisterQuestion("traffic_unfused_bytes_64x32768_k8", UnfusedBytes(kBatch), kTraffic) &&
         RegisterQuestion("traffic_unfused_bytes_3x151936_k50", UnfusedBytes(kFew), kTraffic) &&
         RegisterQuestion("traffic_safe_bytes_64x32768_k8", SafeBytes(kBatch), kTraffic) &&
         RegisterQuestion("traffic_safe_bytes_3x151936_k50", SafeBytes(kFew), kTraffic) &&
         RegisterQuestion("traffic_online_bytes_64x32768_k8", OnlineBytes(kBatch), kTraffic) &&
         RegisterQuestion("traffic_online_bytes_16x4096_k1024", OnlineBytes(kLargeK), kTraffic) &&
         RegisterQuestion("traffic_gain_online_16x4096_k1024",
                          GainOverUnfused(kLargeK, OnlineBytes(kLargeK)), kTraffic) &&
         RegisterQuestion("traffic_gain_safe_64x32768_k8",
                          GainOverUnfused(kBatch, SafeBytes(kBatch)), kTraffic);
}

bool RegisterIntensity() {
  return RegisterQuestion("intensity_online_flops_64x32768_k8", OnlineFlops(kBatch), kOperations) &&
         RegisterQuestion("intensity_safe_flops_16x4096_k1024", SafeFlops(kLargeK), kOperations) &&
         RegisterQuestion("intensity_online_64x32768_k8", OnlineIntensity(kBatch), kOperations) &&
         RegisterQuestion("intensity_safe_16x4096_k1024", SafeIntensity(kLargeK), kOperations) &&
         RegisterQuestion("intensity_ridge_a100_80_f32", Ridge(kA100With80), kTraffic) &&
         RegisterQuestion("intensity_ridge_h100_80_f32", Ridge(kH100With80), kTraffic) &&
         RegisterQuestion("intensity_bound_online_a100_80",
                          Bound(OnlineIntensity(kBatch), kA100With80)) &&
         RegisterQuestion("intensity_bound_safe_soft_float",
                          Bound(SafeIntensity(kBatch), kSoftFloat));
}

bool RegisterGpu() {
  constexpr Kernel kByRegisters{.threads = 256, .registers = 40, .shared_bytes = 0};
  constexpr Kernel kByShared{.threads = 256, .registers = 32, .shared_bytes = 33 * kKiB};
  return RegisterQuestion("gpu_sectors_f32_start_4", SectorsOfARequest(4, 4), 0) &&
         RegisterQuestion("gpu_sectors_float4", SectorsOfARequest(16, 0), 0) &&
         RegisterQuestion("gpu_occupancy_256_threads_40_registers_a100_80",
                          Occupancy(kByRegisters, kA100With80), kExact) &&
         RegisterQuestion("gpu_occupancy_256_threads_33_kib_a100_80",
                          Occupancy(kByShared, kA100With80), kExact) &&
         RegisterQuestion("gpu_splits_1_row_a100_80", FewestSplits(1, kA100With80), 0) &&
         RegisterQuestion("gpu_splits_5_rows_h100_80", FewestSplits(5, kH100With80), 0) &&
         RegisterQuestion("gpu_list_bytes_256_threads_k50", ListBytes(256, 50), 0) &&
         RegisterQuestion("gpu_list_k_256_threads_a100_80", LargestListK(256, kA100With80), 0);
}

[[maybe_unused]] const bool kRegistered = RegisterTraffic() && RegisterIntensity() && RegisterGpu();

}  // namespace
}  // namespace assay::softmax_topk
