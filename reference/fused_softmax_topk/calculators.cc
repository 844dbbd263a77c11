// SPDX-License-Identifier: Apache-2.0
#include "calculators.h"

#include <algorithm>

namespace assay::softmax_topk {
namespace {

constexpr std::int64_t kLanes = 32;
constexpr std::int64_t kSectorBytes = 32;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double Ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) / static_cast<double>(b);
}

/// So many bytes for each logit, and the outputs.
std::int64_t Bytes(const Workload& workload, std::int64_t bytes_a_logit) {
  return workload.rows * (bytes_a_logit * workload.vocabulary + kPairBytes * workload.k);
}

std::int64_t Flops(const Workload& workload, std::int64_t flops_a_logit) {
  constexpr std::int64_t kOfAnOutput = 3;
  return workload.rows * (flops_a_logit * workload.vocabulary + kOfAnOutput * workload.k);
}

}  // namespace

std::int64_t UnfusedBytes(const Workload& workload) { return Bytes(workload, 5 * kLogitBytes); }

std::int64_t SafeBytes(const Workload& workload) { return Bytes(workload, 3 * kLogitBytes); }

std::int64_t OnlineBytes(const Workload& workload) { return Bytes(workload, kLogitBytes); }

double GainOverUnfused(const Workload& workload, std::int64_t bytes) {
  return Ratio(UnfusedBytes(workload), bytes);
}

std::int64_t SafeFlops(const Workload& workload) { return Flops(workload, 4); }

std::int64_t OnlineFlops(const Workload& workload) { return Flops(workload, 7); }

double SafeIntensity(const Workload& workload) {
  return Ratio(SafeFlops(workload), SafeBytes(workload));
}

double OnlineIntensity(const Workload& workload) {
  return Ratio(OnlineFlops(workload), OnlineBytes(workload));
}

double Ridge(const Processor& processor) {
  return processor.flops_per_second / processor.bytes_per_second;
}

std::string_view Bound(double intensity, const Processor& processor) {
  return intensity < Ridge(processor) ? "memory" : "compute";
}

std::int64_t SectorsOfARequest(std::int64_t element_bytes, std::int64_t start_bytes) {
  const std::int64_t first = start_bytes / kSectorBytes;
  const std::int64_t last = (start_bytes + kLanes * element_bytes - 1) / kSectorBytes;
  return last - first + 1;
}

double Occupancy(const Kernel& kernel, const Processor& processor) {
  const std::int64_t warps = CeilDiv(kernel.threads, kLanes);
  const std::int64_t registers_of_a_warp =
      CeilDiv(kernel.registers * kLanes, processor.register_unit) * processor.register_unit;
  const std::int64_t by_registers = processor.registers / registers_of_a_warp / warps;
  const std::int64_t by_shared =
      processor.shared_bytes / (kernel.shared_bytes + processor.shared_bytes_reserved);
  const std::int64_t blocks =
      std::min({processor.warps / warps, by_registers, by_shared, processor.blocks});
  return Ratio(blocks * warps, processor.warps);
}

std::int64_t FewestSplits(std::int64_t rows, const Processor& processor) {
  return CeilDiv(processor.multiprocessors, rows);
}

std::int64_t ListBytes(std::int64_t threads, std::int64_t k) { return threads * k * kPairBytes; }

std::int64_t LargestListK(std::int64_t threads, const Processor& processor) {
  return processor.shared_bytes_of_a_block / ListBytes(threads, 1);
}

}  // namespace assay::softmax_topk
