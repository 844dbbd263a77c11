// SPDX-License-Identifier: Apache-2.0
// Steps a second of single handlers, called as the interpreter's loop calls them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/block_rig.h"
#include "emulator/ops/instruction_for_test.h"
#include "emulator/ops/variants.h"

namespace assay::gpu {
namespace {

constexpr std::uint32_t kOperandBytes = 256;
constexpr std::size_t kSteps = 64;

/// A straight line of kSteps equal instructions, with different registers.
struct Line {
  alignas(64) std::array<Step, kSteps + 1> steps{};
  DeviceOptions options;
  Launch launch;
  Worker worker;
  BlockRig block{{.registers = 64 * kOperandBytes}, launch, worker};
  Warp& warp = block.block.warps[0];
};

const Step* End(Warp& /*warp*/, const Step* /*step*/) { return nullptr; }

void RunLine(benchmark::State& state, const std::string& ptx, bool masked, Selector select) {
  const auto instruction = ParseInstruction(ptx);
  if (!instruction) {
    state.SkipWithError(instruction.error().cause.c_str());
    return;
  }
  const Handlers handlers = select(*instruction);
  if (handlers.full == nullptr) {
    state.SkipWithError("no handler");
    return;
  }
  Line line;
  line.launch.options = &line.options;
  line.warp.active = masked ? 0x0ff0ff0fU : kAllLanes;
  constexpr std::uint32_t kOnes = 63 * kOperandBytes;
  std::fill_n(line.warp.registers + kOnes, kOperandBytes, std::byte{0xff});
  for (std::size_t i = 0; i < kSteps; ++i) {
    line.steps[i].run = masked ? handlers.masked : handlers.full;
    line.steps[i].guard = kOnes;
    for (std::size_t operand = 0; operand < 5; ++operand) {
      const std::size_t reg = (operand == 0 ? i * 7 % 20 : 20 + (i * 5 + operand * 11) % 40);
      line.steps[i].operand[operand] = static_cast<std::uint32_t>(reg * kOperandBytes);
    }
  }
  line.steps[kSteps].run = End;
  for (auto _ : state) {
    const Step* step = line.steps.data();
    while (step != nullptr) {
      step = step->run(line.warp, step);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSteps));
}

const bool kRegistered = [] {
  for (const HandlerVariant& variant : ArithmeticVariants()) {
    for (const char* ptx : {"add.f32 %r0, %r1, %r2;",
                            "fma.rn.f32 %r0, %r1, %r2, %r3;",
                            "fma.rn.ftz.f32 %r0, %r1, %r2, %r3;",
                            "fma.rm.f32 %r0, %r1, %r2, %r3;",
                            "div.rn.f32 %r0, %r1, %r2;",
                            "max.f32 %r0, %r1, %r2;",
                            "fma.rn.f64 %d0, %d1, %d2, %d3;",
                            "add.s32 %r0, %r1, %r2;",
                            "mad.lo.s32 %r0, %r1, %r2, %r3;",
                            "mul.wide.s32 %d0, %r1, %r2;",
                            "add.s64 %d0, %d1, %d2;",
                            "shl.b32 %r0, %r1, %r2;",
                            "div.s32 %r0, %r1, %r2;",
                            "prmt.b32 %r0, %r1, %r2, %r3;",
                            "lop3.b32 %r0, %r1, %r2, %r3, 120;",
                            "setp.lt.s32 %p0, %r1, %r2;",
                            "setp.gt.f32 %p0, %r1, %r2;",
                            "selp.f32 %r0, %r1, %r2, %p3;",
                            "mov.b32 %r0, %r1;",
                            "cvt.s64.s32 %d0, %r1;",
                            "cvt.rn.f32.s32 %r0, %r1;",
                            "cvt.rzi.s32.f32 %r0, %r1;",
                            "cvt.f32.f16 %r0, %h1;",
                            "cvt.rn.f16.f32 %h0, %r1;",
                            "fma.rn.f16x2 %r0, %r1, %r2, %r3;",
                            "fma.rn.bf16x2 %r0, %r1, %r2, %r3;",
                            "max.f16x2 %r0, %r1, %r2;",
                            "ex2.approx.f32 %r0, %r1;",
                            "lg2.approx.f32 %r0, %r1;",
                            "rsqrt.approx.f32 %r0, %r1;",
                            "sin.approx.f32 %r0, %r1;",
                            "tanh.approx.f32 %r0, %r1;"}) {
      for (const bool masked : {false, true}) {
        const std::string text(ptx);
        const std::string name = std::string(variant.name) + (masked ? "/masked/" : "/full/") +
                                 text.substr(0, text.find(' '));
        benchmark::RegisterBenchmark(name.c_str(), RunLine, text, masked, variant.select);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace assay::gpu
