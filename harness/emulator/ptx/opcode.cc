// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/opcode.h"

#include <array>
#include <cstddef>

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

// In the order of Opcode.
constexpr std::array<std::string_view, 97> kOpcodes = {
    "abs",          "activemask",
    "add",          "addc",
    "alloca",       "and",
    "atom",         "bar",
    "bar.warp",     "bfe",
    "bfi",          "bfind",
    "bmsk",         "bra",
    "brev",         "brkpt",
    "brx",          "call",
    "clz",          "cnot",
    "copysign",     "cos",
    "cp.async",     "cvt",
    "cvta",         "discard",
    "div",          "dp2a",
    "dp4a",         "elect",
    "ex2",          "exit",
    "fence",        "fma",
    "fns",          "isspacep",
    "ld",           "ldmatrix",
    "ldu",          "lg2",
    "lop3",         "mad",
    "mad24",        "madc",
    "mapa",         "match",
    "max",          "mbarrier",
    "membar",       "min",
    "mma",          "mov",
    "movmatrix",    "mul",
    "mul24",        "nanosleep",
    "neg",          "not",
    "or",           "pmevent",
    "popc",         "prefetch",
    "prmt",         "rcp",
    "red",          "redux",
    "rem",          "ret",
    "rsqrt",        "sad",
    "selp",         "set",
    "setp",         "shf",
    "shfl",         "shl",
    "shr",          "sin",
    "slct",         "sqrt",
    "st",           "stmatrix",
    "sub",          "subc",
    "szext",        "tanh",
    "testp",        "trap",
    "vote",         "wmma",
    "xor",          "applypriority",
    "createpolicy", "griddepcontrol",
    "stacksave",    "stackrestore",
    "unsupported",
};
static_assert(kOpcodes.size() == static_cast<std::size_t>(Opcode::kUnsupported) + 1);
static_assert(kOpcodes[static_cast<std::size_t>(Opcode::kMma)] == "mma");
static_assert(kOpcodes[static_cast<std::size_t>(Opcode::kVote)] == "vote");

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

std::string_view ToString(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)]; }

}  // namespace assay::gpu::ptx
