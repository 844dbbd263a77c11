// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace assay::gpu::runtime {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<Schedule, std::string_view>, 3> kSchedules{{
    {Schedule::kAscending, "ascending"},
    {Schedule::kReversed, "reversed"},
    {Schedule::kRandom, "random"},
}};

Error Wrong(std::string_view key, const json& value, std::string_view wanted) {
  return {.kind = ErrorKind::kConfiguration,
          .where = kOptionsVariable,
          .cause = fmt::format("\"{}\" is {}", key, value.dump()),
          .remedy = fmt::format("give {}", wanted)};
}

Result<bool> ReadBool(std::string_view key, const json& value) {
  if (!value.is_boolean()) {
    return std::unexpected(Wrong(key, value, "true or false"));
  }
  return value.get<bool>();
}

template <std::integral T>
Result<T> ReadNumber(std::string_view key, const json& value) {
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<T>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  if (!fits) {
    return std::unexpected(
        Wrong(key, value,
              fmt::format("a whole number from {} to {}", std::numeric_limits<T>::min(),
                          std::numeric_limits<T>::max())));
  }
  return value.get<T>();
}

Result<GpuModel> ReadGpu(const json& value) {
  const auto model = value.is_string() ? FindGpuModel(value.get<std::string>()) : std::nullopt;
  if (!model) {
    return std::unexpected(
        Wrong("gpu", value, fmt::format("one of {}", fmt::join(GpuModelIds(), ", "))));
  }
  return *model;
}

Result<Schedule> ReadSchedule(const json& value) {
  const auto* const found =
      value.is_string()
          ? std::ranges::find(kSchedules, value.get<std::string>(),
                              [](const auto& entry) { return std::string(entry.second); })
          : kSchedules.end();
  if (found == kSchedules.end()) {
    return std::unexpected(Wrong("schedule", value, "ascending, reversed or random"));
  }
  return found->first;
}

Status ReadKey(const std::string& key, const json& value, RunOptions* options) {
  DeviceOptions& device = options->device;
  if (key == "gpu") {
    ASSAY_ASSIGN_OR_RETURN(device.model, ReadGpu(value));
  } else if (key == "schedule") {
    ASSAY_ASSIGN_OR_RETURN(device.schedule, ReadSchedule(value));
  } else if (key == "seed") {
    ASSAY_ASSIGN_OR_RETURN(device.seed, ReadNumber<std::uint64_t>(key, value));
  } else if (key == "checks") {
    ASSAY_ASSIGN_OR_RETURN(const bool on, ReadBool(key, value));
    device.checking = on ? Checking::kOn : Checking::kOff;
  } else if (key == "workers") {
    ASSAY_ASSIGN_OR_RETURN(device.workers, ReadNumber<unsigned>(key, value));
  } else if (key == "perturb") {
    ASSAY_ASSIGN_OR_RETURN(const bool on, ReadBool(key, value));
    device.approximation = on ? Approximation::kPerturbed : Approximation::kRounded;
  } else if (key == "instruction_limit") {
    ASSAY_ASSIGN_OR_RETURN(device.instruction_limit, ReadNumber<std::uint64_t>(key, value));
  } else if (key == "memory_limit_bytes") {
    ASSAY_ASSIGN_OR_RETURN(device.memory_limit_bytes, ReadNumber<std::uint64_t>(key, value));
  } else if (key == "leak_check") {
    ASSAY_ASSIGN_OR_RETURN(const bool on, ReadBool(key, value));
    options->leak_check = on ? LeakCheck::kOn : LeakCheck::kOff;
  } else if (key == "report_fd") {
    ASSAY_ASSIGN_OR_RETURN(options->report_fd, ReadNumber<int>(key, value));
  } else {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = kOptionsVariable,
                                 .cause = fmt::format("unknown key \"{}\"", key),
                                 .remedy = "leave it out"});
  }
  return {};
}

}  // namespace

std::string ToJson(const RunOptions& options) {
  const DeviceOptions& device = options.device;
  const auto* const schedule =
      std::ranges::find(kSchedules, device.schedule, [](const auto& entry) { return entry.first; });
  return json{
      {"gpu", device.model.id},
      {"schedule", schedule->second},
      {"seed", device.seed},
      {"checks", device.checking == Checking::kOn},
      {"workers", device.workers},
      {"perturb", device.approximation == Approximation::kPerturbed},
      {"instruction_limit", device.instruction_limit},
      {"memory_limit_bytes", device.memory_limit_bytes},
      {"leak_check", options.leak_check == LeakCheck::kOn},
      {"report_fd", options.report_fd},
  }
      .dump();
}

Result<RunOptions> FromJson(std::string_view text) {
  const json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = kOptionsVariable,
                                 .cause = "not a JSON object",
                                 .remedy = "unset it, or let `assay cuda run` set it"});
  }
  RunOptions options;
  for (const auto& [key, member] : value.items()) {
    ASSAY_RETURN_IF_ERROR(ReadKey(key, member, &options));
  }
  return options;
}

}  // namespace assay::gpu::runtime
