// SPDX-License-Identifier: Apache-2.0
// Steps a second of memory instructions, with and without checks.
#include <benchmark/benchmark.h>

#include "emulator/memory/launch_rig.h"

namespace assay::gpu {
namespace {

constexpr std::uint32_t kSteps = 64;

enum class Lay : std::uint8_t { kConsecutive, kUniform, kStrided, kPermuted };

// A warp runs over `span_bytes` in chunks, again and again: `hot` stays in L1.
void Measure(benchmark::State& state, ptx::Opcode opcode, ptx::Space space, ptx::Type type,
             std::uint32_t vector, Lay lay, std::uint64_t span_bytes) {
  LaunchRig::Shape shape;
  shape.shared_bytes = 48 * 1024;
  shape.checking = state.range(0) != 0 ? Checking::kOn : Checking::kOff;
  LaunchRig rig(shape);
  const std::uint64_t base = space == ptx::Space::kShared ? 0 : *rig.memory->Allocate(span_bytes);
  const std::vector<std::byte> zeros(span_bytes);
  if (base != 0) {
    if (!rig.memory->CopyToDevice(base, zeros)) {
      state.SkipWithError("the copy failed");
    }
  }
  rig.Begin();
  Warp& warp = rig.warp();
  const auto init = LaunchRig::Make(ptx::Opcode::kSt, ptx::Space::kShared, ptx::Type::kU32);
  for (std::uint64_t at = 0; space == ptx::Space::kShared && at < span_bytes; at += 128) {
    rig.Run(warp, init, 1, kAllLanes, [&](std::uint32_t l) { return at + 4 * l; });
  }
  ++rig.block().barrier_epoch;
  const std::uint32_t size = ptx::SizeOf(type) * vector;
  auto* address = LaunchRig::Slot<std::uint64_t>(warp, LaunchRig::kAddressSlot);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t where = lay == Lay::kConsecutive ? lane * size
                                : lay == Lay::kUniform   ? 0
                                : lay == Lay::kStrided   ? lane * 132
                                                         : (lane * 5 % 32) * size;
    address[lane] = base + where;
  }
  const std::uint64_t reach = lay == Lay::kStrided ? 132 * 32 : std::uint64_t{32} * size;
  const Step step = LaunchRig::Decode(
      LaunchRig::Make(opcode, space, type, vector,
                      [](ptx::Instruction& i) { i.atomic_op = ptx::AtomicOp::kAdd; }),
      0, true);
  std::uint64_t at = 0;
  std::uint64_t steps = 0;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < kSteps; ++i) {
      if (step.run(warp, &step) == nullptr) {
        std::abort();
      }
      const std::uint64_t next = at + reach + reach <= span_bytes ? at + reach : 0;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        address[lane] += next - at;
      }
      at = next;
    }
    steps += kSteps;
  }
  state.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
  if (shape.checking == Checking::kOn) {
    rig.Finish();
  }
}

// Two blocks that run in turns, on one worker, read or update the same bytes: what SectorShadow has
// to see each time, since it may be one of the first two.
void MeasureTwoBlocks(benchmark::State& state, ptx::Opcode opcode, std::uint64_t span_bytes) {
  LaunchRig rig({.blocks = 2});
  const std::uint64_t base = *rig.memory->Allocate(span_bytes);
  if (!rig.memory->CopyToDevice(base, std::vector<std::byte>(span_bytes))) {
    state.SkipWithError("the copy failed");
  }
  rig.Begin();
  const Step step = LaunchRig::Decode(
      LaunchRig::Make(opcode, ptx::Space::kGlobal, ptx::Type::kU32, 1,
                      [](ptx::Instruction& i) { i.atomic_op = ptx::AtomicOp::kAdd; }),
      0, true);
  std::uint64_t at = 0;
  std::uint64_t steps = 0;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < kSteps; ++i) {
      for (std::uint32_t block = 0; block < 2; ++block) {
        Warp& warp = rig.warp(block);
        auto* address = LaunchRig::Slot<std::uint64_t>(warp, LaunchRig::kAddressSlot);
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
          address[lane] = base + at + std::uint64_t{4} * lane;
        }
        if (step.run(warp, &step) == nullptr) {
          std::abort();
        }
      }
      at = at + 256 <= span_bytes ? at + 128 : 0;
    }
    steps += std::uint64_t{2} * kSteps;
  }
  state.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
  rig.Finish();
}

using enum ptx::Opcode;
using ptx::Space;
using ptx::Type;
constexpr std::uint64_t kHot = 16 * 1024;
constexpr std::uint64_t kCold = std::uint64_t{64} << 20;

#define ASSAY_MEMORY_BENCH(name, ...) \
  BENCHMARK_CAPTURE(Measure, name, __VA_ARGS__)->ArgName("checks")->Arg(0)->Arg(1)

ASSAY_MEMORY_BENCH(load_4, kLd, Space::kGlobal, Type::kU32, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(load_8, kLd, Space::kGlobal, Type::kU64, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(load_v4, kLd, Space::kGlobal, Type::kU32, 4, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(load_2, kLd, Space::kGlobal, Type::kU16, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(store_4, kSt, Space::kGlobal, Type::kU32, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(store_8, kSt, Space::kGlobal, Type::kU64, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(store_v4, kSt, Space::kGlobal, Type::kU32, 4, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(load_uniform, kLd, Space::kGlobal, Type::kU32, 1, Lay::kUniform, kHot);
ASSAY_MEMORY_BENCH(gather_strided, kLd, Space::kGlobal, Type::kU32, 1, Lay::kStrided, kHot);
ASSAY_MEMORY_BENCH(gather_near, kLd, Space::kGlobal, Type::kU32, 1, Lay::kPermuted, kHot);
ASSAY_MEMORY_BENCH(load_4_cold, kLd, Space::kGlobal, Type::kU32, 1, Lay::kConsecutive, kCold);
ASSAY_MEMORY_BENCH(store_4_cold, kSt, Space::kGlobal, Type::kU32, 1, Lay::kConsecutive, kCold);
ASSAY_MEMORY_BENCH(shared_load_4, kLd, Space::kShared, Type::kU32, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(shared_load_v4, kLd, Space::kShared, Type::kU32, 4, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(shared_store_4, kSt, Space::kShared, Type::kU32, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(shared_uniform, kLd, Space::kShared, Type::kU32, 1, Lay::kUniform, kHot);
ASSAY_MEMORY_BENCH(shared_strided, kLd, Space::kShared, Type::kU32, 1, Lay::kStrided, kHot);

ASSAY_MEMORY_BENCH(red_consecutive, kRed, Space::kGlobal, Type::kU32, 1, Lay::kConsecutive, kHot);
ASSAY_MEMORY_BENCH(shared_red_uniform, kRed, Space::kShared, Type::kU32, 1, Lay::kUniform, kHot);
ASSAY_MEMORY_BENCH(shared_red, kRed, Space::kShared, Type::kU32, 1, Lay::kPermuted, kHot);

BENCHMARK_CAPTURE(MeasureTwoBlocks, load, kLd, kHot);
BENCHMARK_CAPTURE(MeasureTwoBlocks, load_cold, kLd, kCold);
BENCHMARK_CAPTURE(MeasureTwoBlocks, red, kRed, kHot);

}  // namespace
}  // namespace assay::gpu

BENCHMARK_MAIN();
