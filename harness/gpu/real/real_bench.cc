// SPDX-License-Identifier: Apache-2.0
// Times one CUDA operation of one host, or of two in turn, on the GPU of this machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/host.h"
#include "emulator/model/gpu_model.h"
#include "gpu/real/call_text.h"
#include "gpu/real/timed_device_call.h"
#include "gpu/server/emulated_gpu.h"

namespace assay::gpu::real {
namespace {

constexpr int kUsage = 2;
constexpr int kFailed = 3;
constexpr double kNsPerUs = 1e3;

struct Options {
  std::vector<std::string> hosts;
  std::vector<std::string> call;
  std::string level = "none";
  std::uint64_t bytes = 0;
  std::uint64_t seed = 1;
  std::uint64_t copy_bytes = std::uint64_t{256} << 20;
  int samples = 50;
  bool emulated = false;
};

/// A host and what it times. The host must not move: the call refers to it.
struct Side {
  std::unique_ptr<remote::DeviceRecord> record = std::make_unique<remote::DeviceRecord>();
  std::optional<Host> host;
  std::optional<TimedDeviceCall> call;
  std::vector<TimedSample> samples;
};

HostOptions HostOptionsFor(const Options& options, const std::string& executable,
                           remote::DeviceRecord* record) {
  HostOptions host{.executable = executable};
  host.level = SandboxLevelFromString(options.level).value();
  // The first call compiles PTX for this GPU, and a driver has memory of its own.
  host.start_limit = std::chrono::minutes(2);
  host.call_limit = std::chrono::minutes(2);
  host.device_limit = std::chrono::minutes(2);
  host.memory_limit_bytes = std::int64_t{32} << 30;
  host.spin = std::chrono::milliseconds(50);  // Times: the waiting side must not have to wake up.
  host.seed = options.seed;
  if (options.emulated) {
    host.device = [record]() -> Result<std::unique_ptr<DeviceService>> {
      return remote::EmulatedGpu::Create({.model = A100()}, record);
    };
  }
  return host;
}

int Complain(const std::string& what, const HostFailure& failure) {
  fmt::print(stderr, "real_bench: {}: {}: {}\n", what, ToString(failure.verdict), failure.detail);
  return kFailed;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

template <class Member>
double MedianOf(const std::vector<TimedSample>& samples, Member member) {
  std::vector<double> values;
  for (const TimedSample& sample : samples) {
    values.push_back(std::invoke(member, sample));
  }
  return Median(std::move(values));
}

/// `12.3 us (events 14.0 us), 2.66 TB/s, 85 % of the copy's bandwidth`
std::string Describe(const Options& options, const Side& side, double copy_bytes_per_s) {
  const double wall_ns = MedianOf(side.samples, &TimedSample::wall_ns);
  const double event_ns = MedianOf(side.samples, &TimedSample::event_ns);
  std::string text =
      fmt::format("{:.1f} us (events {:.1f} us)", wall_ns / kNsPerUs, event_ns / kNsPerUs);
  if (options.bytes != 0) {
    const double bytes_per_s = static_cast<double>(options.bytes) / wall_ns * 1e9;
    text += fmt::format(", {:.3f} TB/s, {:.1f} % of the copy's bandwidth", bytes_per_s / 1e12,
                        100 * bytes_per_s / copy_bytes_per_s);
  }
  // Events lie around the timed stretch: they cannot well say less than our clock.
  constexpr double kSlackNs = 20e3;
  constexpr double kSlack = 0.2;
  if (!options.emulated && wall_ns > event_ns * (1 + kSlack) + kSlackNs) {
    text +=
        "; THE CLOCKS DISAGREE: work was done outside the events, or they are not to be trusted";
  }
  return text;
}

int Run(const Options& options) {
  const std::vector<std::string_view> words(options.call.begin(), options.call.end());
  const auto call = ParseCall(words);
  if (!call) {
    fmt::print(stderr, "real_bench: {}\n", ToString(call.error()));
    return kUsage;
  }
  std::vector<Side> sides(options.hosts.size());
  double copy_bytes_per_s = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Side& side = sides[i];
    auto host = Host::Start(HostOptionsFor(options, options.hosts[i], side.record.get()));
    if (!host) {
      return Complain(options.hosts[i], host.error());
    }
    side.host.emplace(*std::move(host));
    if (i == 0) {
      const auto device = DescribeDevice(*side.host);
      const auto copy = MeasureCopyBandwidth(*side.host, options.copy_bytes, 20);
      if (!device || !copy) {
        return Complain(options.hosts[i], device ? copy.error() : device.error());
      }
      copy_bytes_per_s = *copy;
      fmt::print("{}{}, L2 {} MiB, copies at {:.3f} TB/s read and written\n",
                 options.emulated ? "EMULATED, times mean nothing: " : "", device->name,
                 device->l2_bytes >> 20, copy_bytes_per_s / 1e12);
    }
    auto timed = TimedDeviceCall::Create(&*side.host, *call, {.seed = options.seed + i});
    if (!timed) {
      return Complain(options.hosts[i], timed.error());
    }
    side.call.emplace(*std::move(timed));
  }
  // In turn, each round the other way about, so that a drift of the clocks meets both.
  for (int round = -2; round < options.samples; ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::size_t at = round % 2 == 0 ? i : sides.size() - 1 - i;
      const auto sample = sides[at].call->Run();
      if (!sample) {
        return Complain(options.hosts[at], sample.error());
      }
      if (round >= 0) {  // The first two rounds warm up.
        sides[at].samples.push_back(*sample);
      }
    }
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    fmt::print("{}: {}\n", options.hosts[i], Describe(options, sides[i], copy_bytes_per_s));
  }
  if (sides.size() == 2) {
    fmt::print("ratio of medians: {:.3f}\n", MedianOf(sides[0].samples, &TimedSample::wall_ns) /
                                                 MedianOf(sides[1].samples, &TimedSample::wall_ns));
  }
  return 0;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Times one CUDA operation on the GPU of this machine. A host is one that is linked with "
      "NVIDIA's runtime (harness/gpu/real/README.md).");
  std::string host;
  std::string against;
  app.add_option("--host", host, "The host executable that is timed")->required();
  app.add_option("--against", against, "Another one, timed in turn with it");
  app.add_option("--level", options.level, "Sandbox level: none, reduced or full")
      ->check(CLI::IsMember({"none", "reduced", "full"}))
      ->capture_default_str();
  app.add_option("--samples", options.samples, "Timed calls of each host")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--bytes", options.bytes,
                 "Bytes that a call has to move, for its share of the copy's bandwidth");
  app.add_option("--copy-bytes", options.copy_bytes, "Size of the copies that are the limit")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of inputs and patterns")->capture_default_str();
  app.add_flag("--emulated", options.emulated,
               "Give the hosts an emulated GPU: for seeing the program work without a GPU");
  app.add_option("call", options.call, "The operation and its arguments, as in u64=8 in=f32:4096")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : kUsage;
  }
  options.hosts.push_back(host);
  if (!against.empty()) {
    options.hosts.push_back(against);
  }
  return Run(options);
}

}  // namespace
}  // namespace assay::gpu::real

int main(int argc, char** argv) {
  try {
    return assay::gpu::real::Main(argc, argv);
  } catch (const std::exception& exception) {
    // Nothing of Assay throws; the standard library does when memory is out.
    std::fprintf(stderr, "real_bench: failed by our fault: %s\n", exception.what());
    return 3;
  }
}
