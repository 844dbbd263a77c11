// SPDX-License-Identifier: Apache-2.0
// What a call costs beside the work in it: wire_bench HOST [LEVEL], where HOST is a host with the
// operation double_f32 (testhosts/toy). The client runs on the first usable processor, the host on
// the last. README.md has the figures and the command.
#include <benchmark/benchmark.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "client/host.h"
#include "process/processors.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;

double Seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

template <class T>
T ValueOrExit(std::expected<T, HostFailure> outcome) {
  if (!outcome) {
    std::fprintf(stderr, "wire_bench: %s\n", outcome.error().detail.c_str());
    std::exit(1);
  }
  return std::move(*outcome);
}

void PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

void ReportTimes(benchmark::State& state, std::vector<nanoseconds>& times) {
  std::ranges::sort(times);
  const auto ns = [&](std::size_t rank) { return static_cast<double>(times[rank].count()); };
  state.counters["median_ns"] = ns(times.size() / 2);
  state.counters["p99_ns"] = ns(times.size() * 99 / 100);
}

/// An empty call: publish, see, return, see.
void EmptyRoundTrip(benchmark::State& state, Host& host) {
  constexpr int kSamples = 1'000;
  std::vector<nanoseconds> medians;
  nanoseconds worst_p99{0};
  for (auto _ : state) {
    const RoundTrip trip = ValueOrExit(host.MeasureRoundTrip(kSamples));
    medians.push_back(trip.median);
    worst_p99 = std::max(worst_p99, trip.p99);
    state.SetIterationTime(Seconds(trip.median));
  }
  ReportTimes(state, medians);
  state.counters["p99_ns"] = static_cast<double>(worst_p99.count());
}

/// A call of an operation with an input and an output of no elements, as a timing makes it.
void PreparedEmptyCall(benchmark::State& state, Host& host) {
  std::vector<float> in;
  std::vector<float> out;
  Invocation call("double_f32");
  call.Scalar(in.size()).Input(in).Output(out).Place(Placement::kAligned);
  PreparedCall prepared = ValueOrExit(host.Prepare(call, 3));
  std::vector<nanoseconds> times;
  for (auto _ : state) {
    if (auto filled = prepared.Fill(); !filled) {
      state.SkipWithError(filled.error().detail.c_str());
      break;
    }
    times.push_back(ValueOrExit(prepared.Run()).elapsed);
    state.SetIterationTime(Seconds(times.back()));
  }
  ReportTimes(state, times);
}

/// Everything around a test's call: layout, poison, copies, checks. Wall time.
void WholeTestCall(benchmark::State& state, Host& host) {
  std::vector<float> in(static_cast<std::size_t>(state.range(0)), 1.0f);
  std::vector<float> out(in.size());
  bool longer = false;
  for (auto _ : state) {
    // Shapes that differ from call to call, so that each needs a layout of its own.
    longer = !longer;
    const std::size_t count = in.size() - (longer ? 0 : 1);
    Invocation call("double_f32");
    call.Scalar(count).Input(std::span(in).first(count)).Output(std::span(out).first(count));
    ValueOrExit(host.Call(call));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 8);
}

void StartOfAHost(benchmark::State& state, const HostOptions& options) {
  for (auto _ : state) {
    const Host host = ValueOrExit(Host::Start(options));
  }
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: wire_bench HOST [none|reduced|full]\n");
    return 2;
  }
  HostOptions options;
  options.executable = argv[1];
  options.level = SandboxLevelFromString(argc > 2 ? argv[2] : "full").value_or(SandboxLevel::kFull);
  const std::vector<int> cpus = UsableProcessors();
  options.processors = {cpus.back()};
  PinTo(cpus.front());
  Host host = ValueOrExit(Host::Start(options));
  benchmark::RegisterBenchmark("EmptyRoundTrip", [&](auto& state) { EmptyRoundTrip(state, host); })
      ->UseManualTime()
      ->Iterations(50);
  benchmark::RegisterBenchmark("PreparedEmptyCall",
                               [&](auto& state) { PreparedEmptyCall(state, host); })
      ->UseManualTime()
      ->Iterations(10'000);
  benchmark::RegisterBenchmark("WholeTestCall", [&](auto& state) { WholeTestCall(state, host); })
      ->UseRealTime()
      ->Arg(64)
      ->Arg(1 << 20)
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("StartOfAHost", [&](auto& state) { StartOfAHost(state, options); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) { return assay::Main(argc, argv); }
