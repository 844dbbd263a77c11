// SPDX-License-Identifier: Apache-2.0
// Steps a second of single warp instructions, in full form, on one core. ldmatrix reads through
// the rig's plain memory: without the emulator's checks.
#include <benchmark/benchmark.h>

#include "emulator/ops/warp_rig.h"

namespace assay::gpu {
namespace {

using Build = WarpRig::Assembled (*)(WarpRig& rig);

WarpRig::Assembled BuildShuffle(WarpRig& rig) {
  return rig.Assemble("shfl.sync.bfly.b32",
                      {R32(rig.New()), Pred(rig.New()), R32(rig.PutAll(1U)), R32(rig.PutAll(16U)),
                       R32(rig.PutAll(31U)), R32(rig.PutAll(kAllLanes))},
                      SecondDestination::kYes);
}

WarpRig::Assembled BuildBallot(WarpRig& rig) {
  return rig.Assemble("vote.sync.ballot.b32", {R32(rig.New()), Pred(rig.PutPredicate(0x12345678)),
                                               R32(rig.PutAll(kAllLanes))});
}

WarpRig::Assembled BuildRedux(WarpRig& rig) {
  return rig.Assemble("redux.sync.add.s32",
                      {R32(rig.New()), R32(rig.PutAll(3U)), R32(rig.PutAll(kAllLanes))});
}

std::vector<std::uint32_t> Registers(WarpRig& rig, unsigned count) {
  std::vector<std::uint32_t> places;
  for (unsigned i = 0; i < count; ++i) {
    places.push_back(rig.PutAll(0x3c003c00U));
  }
  return places;
}

template <unsigned kD, unsigned kA, unsigned kB>
WarpRig::Assembled BuildMma(WarpRig& rig, const char* spelling) {
  const auto d = Registers(rig, kD);
  return rig.Assemble(spelling, {Vec(d), Vec(Registers(rig, kA)), Vec(Registers(rig, kB)), Vec(d)});
}

WarpRig::Assembled BuildMmaF16(WarpRig& rig) {
  return BuildMma<4, 4, 2>(rig, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
}
WarpRig::Assembled BuildMmaF16F16(WarpRig& rig) {
  return BuildMma<2, 4, 2>(rig, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16");
}
WarpRig::Assembled BuildMmaTf32(WarpRig& rig) {
  return BuildMma<4, 4, 2>(rig, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
}
WarpRig::Assembled BuildMmaS8(WarpRig& rig) {
  return BuildMma<4, 4, 2>(rig, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
}
WarpRig::Assembled BuildWmmaF16(WarpRig& rig) {
  return BuildMma<8, 8, 8>(rig, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32");
}

template <int kTransposed>
WarpRig::Assembled BuildLdmatrix(WarpRig& rig) {
  PerLane<std::uint32_t> rows;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    rows[lane] = lane * 16;
  }
  return rig.Assemble(kTransposed != 0 ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                                       : "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
                      {Vec(Registers(rig, 4)), At32(rig.Put(rows))});
}

void Run(benchmark::State& state, HandlerVariant variant, Build build) {
  WarpRig rig(variant);
  const WarpRig::Assembled step = build(rig);
  for (auto _ : state) {
    benchmark::DoNotOptimize(step.full->run(rig.warp, step.full));
  }
  state.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

const bool kRegistered = [] {
  const std::vector<std::pair<std::string, Build>> builds = {
      {"shfl", BuildShuffle},
      {"ballot", BuildBallot},
      {"redux", BuildRedux},
      {"mma_m16n8k16_f32_f16", BuildMmaF16},
      {"mma_m16n8k16_f16_f16", BuildMmaF16F16},
      {"mma_m16n8k8_tf32", BuildMmaTf32},
      {"mma_m16n8k32_s8", BuildMmaS8},
      {"wmma_m16n16k16_f16", BuildWmmaF16},
      {"ldmatrix_x4", BuildLdmatrix<0>},
      {"ldmatrix_x4_trans", BuildLdmatrix<1>}};
  for (const auto& [name, build] : builds) {
    for (const HandlerVariant& variant : WarpVariants()) {
      benchmark::RegisterBenchmark(
          (name + "/" + std::string(variant.name)).c_str(),
          [variant, chosen = build](benchmark::State& state) { Run(state, variant, chosen); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace assay::gpu

BENCHMARK_MAIN();
