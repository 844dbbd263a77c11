// SPDX-License-Identifier: Apache-2.0
#include "client/run_flags.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "process/processors.h"

namespace assay {
namespace {

constexpr std::string_view kPrefix = "--assay_";

/// What address and undefined-behaviour sanitizers may cost. A limit is there to end hangs: a right
/// answer must not run into it for being checked.
constexpr int kSanitizedSlowdown = 5;

Error BadFlag(std::string_view argument, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = std::string(argument),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

template <class T>
Result<T> ParseNumber(std::string_view argument, std::string_view text, T least) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !(value >= least)) {
    return std::unexpected(BadFlag(argument, fmt::format("\"{}\" is not a number in range", text),
                                   fmt::format("give a number of at least {}", least)));
  }
  return value;
}

Result<std::vector<int>> ParseProcessors(std::string_view argument, std::string_view text) {
  std::vector<int> processors;
  while (true) {
    const std::size_t comma = text.find(',');
    ASSAY_ASSIGN_OR_RETURN(processors.emplace_back(),
                           ParseNumber<int>(argument, text.substr(0, comma), 0));
    if (comma == std::string_view::npos) {
      return processors;
    }
    text.remove_prefix(comma + 1);
  }
}

Status SetFlag(RunFlags& flags, std::string_view argument, std::string_view name,
               std::string_view value) {
  if (name == "host") {
    flags.host = value;
  } else if (name == "baseline") {
    flags.baseline = value;
  } else if (name == "results") {
    flags.results = value;
  } else if (name == "level") {
    const auto level = SandboxLevelFromString(value);
    if (!level) {
      return std::unexpected(BadFlag(argument, "unknown sandbox level", "full, reduced or none"));
    }
    flags.level = *level;
  } else if (name == "flavor") {
    if (value != "release" && value != "sanitized") {
      return std::unexpected(BadFlag(argument, "unknown flavor", "release or sanitized"));
    }
    flags.sanitized = value == "sanitized";
  } else if (name == "device") {
    if (value != "emulated" && value != "cuda") {
      return std::unexpected(BadFlag(argument, "unknown device", "emulated or cuda"));
    }
    flags.device = value == "cuda" ? DeviceKind::kCuda : DeviceKind::kEmulated;
  } else if (name == "device_instructions") {
    ASSAY_ASSIGN_OR_RETURN(flags.device_instructions,
                           ParseNumber<std::uint64_t>(argument, value, 1));
  } else if (name == "seed") {
    ASSAY_ASSIGN_OR_RETURN(flags.seed, ParseNumber<std::uint64_t>(argument, value, 0));
  } else if (name == "processors") {
    ASSAY_ASSIGN_OR_RETURN(flags.processors, ParseProcessors(argument, value));
  } else if (name == "cpu") {
    ASSAY_ASSIGN_OR_RETURN(flags.cpu, ParseNumber<int>(argument, value, 0));
  } else if (name == "case_limit_ms") {
    ASSAY_ASSIGN_OR_RETURN(const auto limit, ParseNumber<std::int32_t>(argument, value, 1));
    flags.case_limit = std::chrono::milliseconds(limit);
  } else if (name == "start_limit_ms") {
    ASSAY_ASSIGN_OR_RETURN(const auto limit, ParseNumber<std::int32_t>(argument, value, 1));
    flags.start_limit = std::chrono::milliseconds(limit);
  } else if (name == "run_limit_ms") {
    ASSAY_ASSIGN_OR_RETURN(const auto limit, ParseNumber<std::int32_t>(argument, value, 1));
    flags.run_limit = std::chrono::milliseconds(limit);
  } else if (name == "memory_bytes") {
    ASSAY_ASSIGN_OR_RETURN(flags.memory_bytes, ParseNumber<std::int64_t>(argument, value, 1));
  } else if (name == "output_bytes") {
    ASSAY_ASSIGN_OR_RETURN(flags.output_bytes, ParseNumber<std::int64_t>(argument, value, 1));
  } else if (name == "bench_seconds") {
    ASSAY_ASSIGN_OR_RETURN(const double seconds, ParseNumber<double>(argument, value, 0));
    if (!std::isfinite(seconds)) {
      return std::unexpected(BadFlag(argument, "not finite", "give seconds"));
    }
    flags.bench_time = std::chrono::duration<double>(seconds);
  } else if (name == "bench_run") {
    ASSAY_ASSIGN_OR_RETURN(flags.bench_run, ParseNumber<std::uint64_t>(argument, value, 0));
  } else if (name == "least_blocks") {
    ASSAY_ASSIGN_OR_RETURN(flags.least_blocks, ParseNumber<int>(argument, value, 1));
  } else if (name == "most_blocks") {
    ASSAY_ASSIGN_OR_RETURN(flags.most_blocks, ParseNumber<int>(argument, value, 1));
  } else if (name == "left_out") {
    flags.left_out.emplace_back(value);
  } else {
    return std::unexpected(BadFlag(argument, "unknown flag", "harness/client/README.md has all"));
  }
  return {};
}

Status Pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    return std::unexpected(SystemError(fmt::format("pinning to processor {}", cpu), errno));
  }
  return {};
}

}  // namespace

Result<RunFlags> ParseRunFlags(int* argc, char** argv) {
  RunFlags flags;
  int kept = 0;
  for (int i = 0; i < *argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kPrefix)) {
      argv[kept++] = argv[i];
      continue;
    }
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) {
      return std::unexpected(BadFlag(argument, "has no value", "write --assay_flag=value"));
    }
    const std::string_view name = argument.substr(kPrefix.size(), equals - kPrefix.size());
    ASSAY_RETURN_IF_ERROR(SetFlag(flags, argument, name, argument.substr(equals + 1)));
  }
  argv[kept] = nullptr;
  *argc = kept;
  if (flags.host.empty()) {
    return std::unexpected(
        BadFlag("--assay_host", "is missing", "give the host executable to be graded"));
  }
  return flags;
}

HostOptions HostOptionsFor(const RunFlags& flags, const std::filesystem::path& executable,
                           std::string_view purpose) {
  return {.executable = executable,
          .level = flags.level,
          .start_limit = flags.start_limit,
          .call_limit = (flags.sanitized ? kSanitizedSlowdown : 1) * flags.case_limit,
          .memory_limit_bytes = flags.memory_bytes,
          .output_limit_bytes = flags.output_bytes,
          .processors = flags.cpu ? std::vector{*flags.cpu} : std::vector<int>{},
          .seed = MixSeed(flags.seed, purpose)};
}

std::vector<int> ProcessorsOfRun(const RunFlags& flags) {
  return flags.processors.empty() ? UsableProcessors() : flags.processors;
}

Status SeparateFromHosts(RunFlags& flags) {
  flags.all_processors = UsableProcessors();
  const std::vector<int> processors = ProcessorsOfRun(flags);
  if (!flags.cpu) {
    flags.cpu = processors.back();
  }
  const auto other = std::ranges::find_if(processors, [&](int cpu) { return cpu != *flags.cpu; });
  return Pin(other == processors.end() ? *flags.cpu : *other);
}

std::uint64_t MixSeed(std::uint64_t seed, std::string_view name) {
  // FNV-1a over the name, then the finaliser of SplitMix64, so that one changed bit changes half
  // of the result.
  std::uint64_t mixed = seed ^ 0xCBF29CE484222325U;
  for (const char c : name) {
    mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  mixed += 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

}  // namespace assay
