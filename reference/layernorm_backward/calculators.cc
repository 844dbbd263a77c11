// SPDX-License-Identifier: Apache-2.0
#include "calculators.h"

namespace assay::layernorm {
namespace {

std::int64_t Elements(const Workload& workload) { return workload.rows * workload.features; }

}  // namespace

std::int64_t ForwardFlops(const Workload& workload) {
  return 7 * Elements(workload) + 5 * workload.rows;
}

std::int64_t BackwardFlops(const Workload& workload) {
  return 11 * Elements(workload) + 2 * workload.rows;
}

std::int64_t LeastSavedBytes(const Workload& workload) {
  return (Elements(workload) + workload.rows + workload.features) * workload.element_bytes;
}

std::int64_t ForwardBytes(const Workload& workload) {
  const std::int64_t read = Elements(workload) + 2 * workload.features;
  const std::int64_t written = Elements(workload);
  return (read + written) * workload.element_bytes + LeastSavedBytes(workload);
}

std::int64_t BackwardBytes(const Workload& workload) {
  const std::int64_t dy = Elements(workload);
  const std::int64_t written = Elements(workload) + 2 * workload.features;
  return (dy + written) * workload.element_bytes + LeastSavedBytes(workload);
}

std::int64_t UnfusedBackwardBytes(const Workload& workload) {
  return (11 * Elements(workload) + 5 * workload.rows + 3 * workload.features) *
         workload.element_bytes;
}

std::int64_t PartialSumBytes(const Workload& workload, std::int64_t blocks) {
  return 4 * blocks * workload.features * workload.element_bytes;
}

double BackwardIntensity(const Workload& workload) {
  return static_cast<double>(BackwardFlops(workload)) /
         static_cast<double>(BackwardBytes(workload));
}

std::string_view BackwardBound(const Workload& workload, const Processor& processor) {
  const double ridge = processor.flops_per_second / processor.bytes_per_second;
  return BackwardIntensity(workload) < ridge ? "memory" : "compute";
}

}  // namespace assay::layernorm
