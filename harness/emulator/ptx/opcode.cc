// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/opcode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

namespace assay::gpu::ptx {
namespace {

struct TypeFacts {
  std::string_view name;
  std::uint32_t size_bytes;
};

// In the order of Type.
constexpr std::array kTypes = {
    TypeFacts{"none", 0},   TypeFacts{"pred", 0},   TypeFacts{"b1", 0},    TypeFacts{"b8", 1},
    TypeFacts{"b16", 2},    TypeFacts{"b32", 4},    TypeFacts{"b64", 8},   TypeFacts{"b128", 16},
    TypeFacts{"u4", 0},     TypeFacts{"u8", 1},     TypeFacts{"u16", 2},   TypeFacts{"u32", 4},
    TypeFacts{"u64", 8},    TypeFacts{"s4", 0},     TypeFacts{"s8", 1},    TypeFacts{"s16", 2},
    TypeFacts{"s32", 4},    TypeFacts{"s64", 8},    TypeFacts{"f16", 2},   TypeFacts{"f16x2", 4},
    TypeFacts{"bf16", 2},   TypeFacts{"bf16x2", 4}, TypeFacts{"tf32", 4},  TypeFacts{"f32", 4},
    TypeFacts{"f32x2", 8},  TypeFacts{"f64", 8},    TypeFacts{"u16x2", 4}, TypeFacts{"s16x2", 4},
    TypeFacts{"e4m3x2", 2}, TypeFacts{"e5m2x2", 2},
};
static_assert(kTypes.size() == static_cast<std::size_t>(Type::kE5m2x2) + 1);

struct OpcodeFacts {
  std::string_view name;
  Group group;
};

constexpr auto kOpcodes = std::to_array<OpcodeFacts>({
#define INSTRUCTION(opcode, name, operands, group, ...) {name, Group::group},
#include "emulator/ptx/instructions.inc"
    {"unsupported", Group::kNone},
});
static_assert(kOpcodes.size() == static_cast<std::size_t>(Opcode::kUnsupported) + 1);
// In order, and no name twice.
static_assert(std::ranges::adjacent_find(kOpcodes.begin(), kOpcodes.end() - 1,
                                         std::ranges::greater_equal{},
                                         &OpcodeFacts::name) == kOpcodes.end() - 1);

}  // namespace

std::uint32_t SizeOf(Type type) { return kTypes[static_cast<std::size_t>(type)].size_bytes; }

bool IsFloat(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
    case Type::kBf16:
    case Type::kBf16x2:
    case Type::kTf32:
    case Type::kF32:
    case Type::kF32x2:
    case Type::kF64:
    case Type::kE4m3x2:
    case Type::kE5m2x2:
      return true;
    default:
      return false;
  }
}

bool IsInteger(Type type) { return !IsFloat(type) && type != Type::kPred; }

bool IsSigned(Type type) {
  switch (type) {
    case Type::kS4:
    case Type::kS8:
    case Type::kS16:
    case Type::kS32:
    case Type::kS64:
    case Type::kS16x2:
      return true;
    default:
      return false;
  }
}

std::string_view ToString(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::string_view ToString(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)].name; }

Group GroupOf(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)].group; }

}  // namespace assay::gpu::ptx
