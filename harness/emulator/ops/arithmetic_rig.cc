// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/arithmetic_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <string_view>

#include "emulator/core/warp.h"
#include "emulator/ops/operand_width.h"
#include "emulator/ops/variants.h"
#include "emulator/ptx/parser.h"

namespace assay::gpu::testing {

namespace {

constexpr std::uint32_t kOperandBytes = 512;  // 32 lanes of at most 16 bytes
constexpr std::uint32_t kMostOperands = 8;
constexpr std::uint32_t kGuard = kMostOperands * kOperandBytes;

ptx::Instruction ParseOne(const std::string& text) {
  const std::string module =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n" +
      text + "\nret;\n}\n";
  const auto parsed = ptx::Parse(module, "test");
  if (!parsed.has_value()) {
    ADD_FAILURE() << text << ": " << parsed.error().cause;
    return {};
  }
  return parsed->functions.at(0).instructions.at(0);
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
    warp.registers = registers.data();
    warp.launch = &launch;
    warp.worker = &worker;
    step[0].guard = kGuard;
    step[0].operands = offsets.data();
    std::copy_n(offsets.begin(), step[0].operand.size(), step[0].operand.begin());
  }

  void Set(std::uint32_t operand, std::uint32_t lane, std::uint64_t bits) {
    std::byte* at = registers.data() + offsets[operand];
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
    const std::byte* at = registers.data() + offsets[operand];
    std::uint64_t bits = 0;
    if (widths[operand] == 0) {
      std::memcpy(&bits, at, sizeof(LaneMask));
      return (bits >> lane) & 1U;
    }
    std::memcpy(&bits, at + lane * widths[operand], std::min(widths[operand], 8U));
    return bits;
  }
  void SetGuard(LaneMask mask) { std::memcpy(registers.data() + kGuard, &mask, sizeof(mask)); }
  [[nodiscard]] std::uint64_t Truncated(std::uint32_t operand, std::uint64_t bits) const {
    const std::uint32_t width = widths[operand];
    return width == 0 ? bits & 1U : (width >= 8 ? bits : bits & ((1ULL << (8 * width)) - 1));
  }

  alignas(64) std::array<std::byte, kGuard + kOperandBytes> registers{};
  std::array<std::uint32_t, kMostOperands> widths{};
  std::array<std::uint32_t, kMostOperands> offsets{};
  DeviceOptions options;
  Launch launch;
  Worker worker;
  Warp warp;
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
  const ptx::Instruction instruction = ParseOne(ptx);
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
  const ptx::Instruction instruction = ParseOne(ptx);
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
  const ptx::Instruction instruction = ParseOne(ptx);
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

namespace {

template <class T>
std::vector<std::uint64_t> IntegerEdges() {
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  std::vector<std::uint64_t> edges;
  for (const std::uint64_t value : {0ULL, 1ULL, 2ULL, 3ULL, 7ULL, 100ULL}) {
    edges.push_back(value);
    edges.push_back(static_cast<T>(0 - value));
  }
  for (std::uint32_t shift = kWidth / 2 - 1; shift < kWidth; shift += kWidth / 4) {
    edges.push_back(static_cast<T>(1ULL << shift));
    edges.push_back(static_cast<T>((1ULL << shift) - 1));
    edges.push_back(static_cast<T>((1ULL << shift) + 1));
    edges.push_back(static_cast<T>(0 - (1ULL << shift)));
  }
  edges.push_back(static_cast<T>(1ULL << (kWidth - 1)));
  edges.push_back(static_cast<T>((1ULL << (kWidth - 1)) - 1));
  edges.push_back(static_cast<T>(0x5555'5555'5555'5555ULL));
  return edges;
}

std::vector<std::uint64_t> WithSigns(std::vector<std::uint64_t> edges, std::uint64_t sign) {
  const std::size_t count = edges.size();
  for (std::size_t i = 0; i < count; ++i) {
    edges.push_back(edges[i] | sign);
  }
  return edges;
}

}  // namespace

template <>
const std::vector<std::uint64_t>& EdgeValues<bool>() {
  static const std::vector<std::uint64_t> kEdges{0, 1};
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<Count>() {
  static const std::vector<std::uint64_t> kEdges{
      0,  1,  2,  7,  8,  15, 16,  17,  30,  31,  32,  33,     40,         47,         48,
      62, 63, 64, 65, 95, 96, 127, 128, 255, 256, 257, 0x1020, 0x80000000, 0xfffffff0, 0xffffffff};
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::uint16_t>() {
  static const auto kEdges = IntegerEdges<std::uint16_t>();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::int16_t>() {
  return EdgeValues<std::uint16_t>();
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::uint32_t>() {
  static const auto kEdges = IntegerEdges<std::uint32_t>();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::int32_t>() {
  return EdgeValues<std::uint32_t>();
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::uint64_t>() {
  static const auto kEdges = IntegerEdges<std::uint64_t>();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::int64_t>() {
  return EdgeValues<std::uint64_t>();
}
template <>
const std::vector<std::uint64_t>& EdgeValues<float>() {
  static const auto kEdges =
      WithSigns({0,          1,          2,          0x00400000, 0x007fffff, 0x00800000, 0x00800001,
                 0x01000000, 0x33800000, 0x33800001, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff,
                 0x3f800000, 0x3f800001, 0x3fc00000, 0x40200000, 0x40490fdb, 0x4b000001, 0x4b7fffff,
                 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000,
                 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x7e800000, 0x7effffff, 0x7f000000,
                 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x7fffffff, 0x7fabcdef},
                0x80000000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<double>() {
  static const auto kEdges = WithSigns({0,
                                        1,
                                        0x000fffffffffffff,
                                        0x0010000000000000,
                                        0x0010000000000001,
                                        0x36a0000000000000,
                                        0x380fffffffffffff,
                                        0x3810000000000000,
                                        0x3c90000000000000,
                                        0x3ca0000000000001,
                                        0x3fdfffffffffffff,
                                        0x3fe0000000000000,
                                        0x3fe0000000000001,
                                        0x3fefffffffffffff,
                                        0x3ff0000000000000,
                                        0x3ff0000000000001,
                                        0x3ff0000010000000,
                                        0x3ff0000030000000,
                                        0x3ff8000000000000,
                                        0x40effe0000000000,
                                        0x40efffe000000000,
                                        0x41dfffffffe00000,
                                        0x41e0000000000000,
                                        0x41f0000000000000,
                                        0x4330000000000001,
                                        0x43e0000000000000,
                                        0x43dfffffffffffff,
                                        0x43f0000000000000,
                                        0x47efffffe0000000,
                                        0x47effffff0000000,
                                        0x7fe0000000000000,
                                        0x7fefffffffffffff,
                                        0x7ff0000000000000,
                                        0x7ff0000000000001,
                                        0x7ff8000000000000,
                                        0x7ff8000000abcdef,
                                        0x7fffffffffffffff},
                                       0x8000000000000000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<F16Bits>() {
  static const auto kEdges =
      WithSigns({0,      1,      2,      0x0200, 0x03ff, 0x0400, 0x0401, 0x1400, 0x3800,
                 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4248, 0x6400, 0x6401,
                 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff},
                0x8000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<Bf16Bits>() {
  static const auto kEdges =
      WithSigns({0,      1,      2,      0x0040, 0x007f, 0x0080, 0x0081, 0x2000, 0x3f00,
                 0x3f01, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0, 0x4000, 0x4049, 0x4300, 0x4301,
                 0x7f00, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff},
                0x8000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<F16Pair>() {
  static const std::vector<std::uint64_t> kEdges = [] {
    std::vector<std::uint64_t> pairs;
    const auto& halves = EdgeValues<F16Bits>();
    for (std::size_t i = 0; i < halves.size(); ++i) {
      pairs.push_back(halves[i] << 16U | halves[(7 * i + 3) % halves.size()]);
    }
    return pairs;
  }();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<Bf16Pair>() {
  static const std::vector<std::uint64_t> kEdges = [] {
    std::vector<std::uint64_t> pairs;
    const auto& halves = EdgeValues<Bf16Bits>();
    pairs.reserve(halves.size());
    for (std::size_t i = 0; i < halves.size(); ++i) {
      pairs.push_back(halves[i] << 16U | halves[(7 * i + 3) % halves.size()]);
    }
    return pairs;
  }();
  return kEdges;
}

}  // namespace assay::gpu::testing
