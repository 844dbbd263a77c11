// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/launch_evidence.h"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "emulator/report/fields.h"

namespace assay::gpu {
namespace {

/// Takes the counters of a launch by the names that JSON has for them.
class Collector {
 public:
  explicit Collector(std::map<std::string, double>* values) : values_(values) {}

  void Metric(const std::string& name, std::uint64_t value) { Add(name, value); }
  void Derived(const std::string& name, std::uint64_t value) { Add(name, value); }
  /// The mix: too long for evidence.
  template <class T>
  void operator()(std::string_view, const T&) {}

 private:
  void Add(const std::string& name, std::uint64_t value) {
    if (value != 0) {
      (*values_)[name] = static_cast<double>(value);
    }
  }

  std::map<std::string, double>* values_;
};

std::uint64_t Product(const std::array<std::uint32_t, 3>& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

}  // namespace

LaunchEvidence ToEvidence(std::string_view label, std::string_view gpu,
                          const LaunchReport& report) {
  LaunchEvidence evidence{
      .label = std::string(label), .kernel = report.kernel, .gpu = std::string(gpu), .values = {}};
  std::map<std::string, double>& values = evidence.values;
  const auto put = [&values](const std::string& name, double value) {
    if (value != 0) {
      values[name] = value;
    }
  };
  put("launch__grid_size", static_cast<double>(Product(report.grid)));
  put("launch__block_size", static_cast<double>(Product(report.block)));
  put("launch__registers_per_thread", report.resources.registers_per_thread.value_or(0));
  put("launch__shared_mem_per_block_static",
      static_cast<double>(report.resources.static_shared_bytes));
  put("launch__shared_mem_per_block_dynamic", static_cast<double>(report.dynamic_shared_bytes));
  put("assay__local_bytes_per_thread", static_cast<double>(report.resources.local_bytes));
  put("sm__maximum_warps_per_active_cycle_pct", 100 * report.theoretical_occupancy);
  put("assay__modelled_time_ns", report.modelled_time_ns);
  put("assay__error", report.error);
  Collector collector(&values);
  json_fields::Fields(collector, report.counters);
  return evidence;
}

}  // namespace assay::gpu
