// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/arithmetic_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <string_view>

#include "emulator/core/block_rig.h"
#include "emulator/ops/instruction_for_test.h"
#include "emulator/ops/operand_width.h"
#include "emulator/ops/variants.h"

namespace assay::gpu::testing {

namespace {

constexpr std::uint32_t kOperandBytes = 512;  // 32 lanes of at most 16 bytes
constexpr std::uint32_t kMostOperands = 8;
constexpr std::uint32_t kGuard = kMostOperands * kOperandBytes;

ptx::Instruction MustParse(const std::string& text) {
  const auto parsed = ParseInstruction(text);
  if (!parsed) {
    ADD_FAILURE() << text << ": " << parsed.error().cause;
    return {};
  }
  return *parsed;
}

/// A warp with one instruction's operands.
struct Rig {
  explicit Rig(const ptx::Instruction& instruction, const DeviceOptions& device_options)
      : options(device_options) {
    for (std::uint32_t i = 0; i < kMostOperands; ++i) {
      widths[i] = OperandWidth(instruction, i);
      offsets[i] = i * kOperandBytes;
    }
    launch.options = &options;
    step[0].guard = kGuard;
    step[0].operands = offsets.data();
    std::copy_n(offsets.begin(), step[0].operand.size(), step[0].operand.begin());
  }

  void Set(std::uint32_t operand, std::uint32_t lane, std::uint64_t bits) {
    std::byte* at = warp.registers + offsets[operand];
    if (widths[operand] == 0) {
      LaneMask mask = 0;
      std::memcpy(&mask, at, sizeof(mask));
      mask = (mask & ~(1U << lane)) | static_cast<LaneMask>(bits & 1U) << lane;
      std::memcpy(at, &mask, sizeof(mask));
      return;
    }
    std::memcpy(at + lane * widths[operand], &bits, std::min(widths[operand], 8U));
  }
  [[nodiscard]] std::uint64_t Get(std::uint32_t operand, std::uint32_t lane) const {
    const std::byte* at = warp.registers + offsets[operand];
    std::uint64_t bits = 0;
    if (widths[operand] == 0) {
      std::memcpy(&bits, at, sizeof(LaneMask));
      return (bits >> lane) & 1U;
    }
    std::memcpy(&bits, at + lane * widths[operand], std::min(widths[operand], 8U));
    return bits;
  }
  void SetGuard(LaneMask mask) { std::memcpy(warp.registers + kGuard, &mask, sizeof(mask)); }
  [[nodiscard]] std::uint64_t Truncated(std::uint32_t operand, std::uint64_t bits) const {
    const std::uint32_t width = widths[operand];
    return width == 0 ? bits & 1U : (width >= 8 ? bits : bits & ((1ULL << (8 * width)) - 1));
  }

  std::array<std::uint32_t, kMostOperands> widths{};
  std::array<std::uint32_t, kMostOperands> offsets{};
  DeviceOptions options;
  Launch launch;
  Worker worker;
  BlockRig block{{.registers = kGuard + kOperandBytes}, launch, worker};
  Warp& warp = block.block.warps[0];
  alignas(64) std::array<Step, 2> step{};
};

void Load(Rig& rig, std::uint32_t results, std::span<const LaneBits> operands, std::size_t first) {
  rig.warp.carry = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const LaneBits& sources = operands[(first + lane) % operands.size()];
    rig.warp.carry |= static_cast<LaneMask>(sources[kCarry] & 1U) << lane;
    for (std::uint32_t i = 0; i < results; ++i) {
      rig.Set(i, lane, kUntouched >> lane);
    }
    for (std::uint32_t i = 0; results + i < kMostOperands && i < sources.size(); ++i) {
      rig.Set(results + i, lane, sources[i]);
    }
  }
}

void Execute(Rig& rig, Handler handler, LaneMask active, LaneMask guard, LaneMask flip = 0) {
  rig.warp.active = active;
  rig.SetGuard(guard);
  rig.step[0].guard_flip = flip;
  const unsigned mxcsr =
#if defined(__SSE2__)
      __builtin_ia32_stmxcsr();
#else
      0;
#endif
  EXPECT_EQ(handler(rig.warp, rig.step.data()), rig.step.data() + 1);
#if defined(__SSE2__)
  constexpr unsigned kControl = 0xffc0;  // all but the sticky flags
  EXPECT_EQ(__builtin_ia32_stmxcsr() & kControl, mxcsr & kControl);
#else
  static_cast<void>(mxcsr);
#endif
}

struct Mistakes {
  std::string what;
  std::size_t count = 0;
};

void Compare(const Rig& rig, std::uint32_t results, std::span<const LaneBits> operands,
             std::size_t first, const Definition& definition, LaneMask lanes, std::string_view form,
             bool checks_carry, Mistakes& mistakes) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const LaneBits& sources = operands[(first + lane) % operands.size()];
    const bool runs = ((lanes >> lane) & 1U) != 0;
    const LaneBits expected = definition(sources);
    const std::uint64_t carry = (runs ? expected : sources)[kCarry] & 1U;
    if (checks_carry && ((rig.warp.carry >> lane) & 1U) != carry && mistakes.count++ < 3) {
      mistakes.what += std::string(form) + ": wrong carry\n";
    }
    for (std::uint32_t i = 0; i < results; ++i) {
      const std::uint64_t wanted = rig.Truncated(i, runs ? expected[i] : kUntouched >> lane);
      const std::uint64_t got = rig.Get(i, lane);
      if (got != wanted && mistakes.count++ < 3) {
        char text[256];
        std::snprintf(
            text, sizeof(text), "%s: result %u of (%llx, %llx, %llx, %llx) %s: %llx, not %llx\n",
            std::string(form).c_str(), i, static_cast<unsigned long long>(sources[0]),
            static_cast<unsigned long long>(sources[1]),
            static_cast<unsigned long long>(sources[2]),
            static_cast<unsigned long long>(sources[3]), runs ? "" : "(inactive)",
            static_cast<unsigned long long>(got), static_cast<unsigned long long>(wanted));
        mistakes.what += text;
      }
    }
  }
}

}  // namespace

void CheckLanes(const std::string& ptx, std::uint32_t results,
                const std::vector<LaneBits>& operands, const Definition& definition,
                const DeviceOptions& options) {
  const ptx::Instruction instruction = MustParse(ptx);
  std::mt19937 random(1);
  for (const HandlerVariant& variant : ArithmeticVariants()) {
    const Handlers handlers = variant.select(instruction);
    if (handlers.full == nullptr || handlers.masked == nullptr) {
      ADD_FAILURE() << ptx << ": " << variant.name << " has no handler";
      return;
    }
    Mistakes mistakes;
    const bool carries = instruction.carry_out;
    const std::string name(variant.name);
    Rig rig(instruction, options);
    for (std::size_t first = 0; first < operands.size(); first += kWarpSize) {
      Load(rig, results, operands, first);
      Execute(rig, handlers.full, kAllLanes, kAllLanes);
      Compare(rig, results, operands, first, definition, kAllLanes, name + " full", carries,
              mistakes);

      const auto active = static_cast<LaneMask>(random());
      const auto guard = static_cast<LaneMask>(random());
      const LaneMask flip = (first & kWarpSize) != 0 ? kAllLanes : 0;
      Load(rig, results, operands, first);
      Execute(rig, handlers.masked, active, guard, flip);
      Compare(rig, results, operands, first, definition, active & (guard ^ flip), name + " masked",
              carries, mistakes);

      // The result in the register of the last source, as in `add %r1, %r2, %r1`.
      const std::uint32_t source = results;
      if (results == 1 && rig.widths[0] == rig.widths[source]) {
        Load(rig, results, operands, first);
        const std::uint32_t saved = rig.offsets[0];
        rig.step[0].operand[0] = rig.offsets[0] = rig.offsets[source];
        Execute(rig, handlers.full, kAllLanes, kAllLanes);
        Compare(rig, results, operands, first, definition, kAllLanes, name + " in place", carries,
                mistakes);
        rig.step[0].operand[0] = rig.offsets[0] = saved;
      }
    }
    EXPECT_EQ(mistakes.count, 0U) << ptx << "\n" << mistakes.what;
  }
}

std::vector<LaneBits> RunLanes(const std::string& ptx, std::uint32_t results,
                               const std::vector<LaneBits>& operands, std::size_t variant,
                               const DeviceOptions& options) {
  const ptx::Instruction instruction = MustParse(ptx);
  const Handlers handlers = ArithmeticVariants()[variant].select(instruction);
  std::vector<LaneBits> all;
  if (handlers.full == nullptr) {
    ADD_FAILURE() << ptx << ": no handler";
    return all;
  }
  Rig rig(instruction, options);
  for (std::size_t first = 0; first < operands.size(); first += kWarpSize) {
    Load(rig, results, operands, first);
    Execute(rig, handlers.full, kAllLanes, kAllLanes);
    for (std::uint32_t lane = 0; lane < kWarpSize && first + lane < operands.size(); ++lane) {
      LaneBits bits{};
      for (std::uint32_t i = 0; i < results; ++i) {
        bits[i] = rig.Get(i, lane);
      }
      all.push_back(bits);
    }
  }
  return all;
}

bool IsRefused(const std::string& ptx) {
  const ptx::Instruction instruction = MustParse(ptx);
  return std::ranges::all_of(ArithmeticVariants(), [&](const HandlerVariant& variant) {
    return variant.select(instruction).full == nullptr;
  });
}

std::vector<LaneBits> MakeOperands(const std::vector<const std::vector<std::uint64_t>*>& edges,
                                   const std::vector<std::uint32_t>& bit_widths) {
  constexpr std::size_t kMostCombinations = 20'000;
  constexpr std::size_t kRandom = 4'000;
  std::mt19937_64 random(7);
  std::size_t combinations = 1;
  for (const auto* list : edges) {
    combinations *= list->size();
  }
  std::vector<LaneBits> operands;
  const bool all = combinations <= kMostCombinations;
  for (std::size_t i = 0; i < std::min(combinations, kMostCombinations); ++i) {
    std::size_t rest = all ? i : random() % combinations;
    LaneBits bits{};
    for (std::size_t source = 0; source < edges.size(); ++source) {
      bits[source] = (*edges[source])[rest % edges[source]->size()];
      rest /= edges[source]->size();
    }
    operands.push_back(bits);
  }
  for (std::size_t i = 0; i < kRandom; ++i) {
    LaneBits bits{};
    for (std::size_t source = 0; source < edges.size(); ++source) {
      const std::uint64_t mask =
          bit_widths[source] >= 64 ? ~0ULL : (1ULL << bit_widths[source]) - 1;
      // Every fourth source is an edge, so that random numbers meet them.
      bits[source] = (random() & 3U) == 0 ? (*edges[source])[random() % edges[source]->size()]
                                          : random() & mask;
    }
    operands.push_back(bits);
  }
  return operands;
}

}  // namespace assay::gpu::testing
