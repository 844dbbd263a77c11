// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/modifiers.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

namespace assay::gpu::ptx {
namespace {

template <class Value>
using Choice = std::pair<std::string_view, Value>;

constexpr auto kRoundings = std::to_array<Choice<Rounding>>({
    {"rn", Rounding::kRn},
    {"rz", Rounding::kRz},
    {"rm", Rounding::kRm},
    {"rp", Rounding::kRp},
    {"rna", Rounding::kRna},
    {"rni", Rounding::kRni},
    {"rzi", Rounding::kRzi},
    {"rmi", Rounding::kRmi},
    {"rpi", Rounding::kRpi},
});
constexpr auto kCompares = std::to_array<Choice<Compare>>({
    {"eq", Compare::kEq},
    {"ne", Compare::kNe},
    {"lt", Compare::kLt},
    {"le", Compare::kLe},
    {"gt", Compare::kGt},
    {"ge", Compare::kGe},
    {"lo", Compare::kLo},
    {"ls", Compare::kLs},
    {"hi", Compare::kHi},
    {"hs", Compare::kHs},
    {"equ", Compare::kEqu},
    {"neu", Compare::kNeu},
    {"ltu", Compare::kLtu},
    {"leu", Compare::kLeu},
    {"gtu", Compare::kGtu},
    {"geu", Compare::kGeu},
    {"num", Compare::kNum},
    {"nan", Compare::kNan},
});
constexpr auto kBoolOps = std::to_array<Choice<BoolOp>>({
    {"and", BoolOp::kAnd},
    {"or", BoolOp::kOr},
    {"xor", BoolOp::kXor},
});
// A block without a cluster is a cluster of its own, so shared::cluster is its shared memory.
constexpr auto kSpaces = std::to_array<Choice<Space>>({
    {"global", Space::kGlobal},
    {"shared", Space::kShared},
    {"shared::cta", Space::kShared},
    {"shared::cluster", Space::kShared},
    {"local", Space::kLocal},
    {"const", Space::kConst},
    {"param", Space::kParam},
    {"param::entry", Space::kParam},
    {"param::func", Space::kParam},
});
constexpr auto kOrders = std::to_array<Choice<Order>>({
    {"weak", Order::kWeak},
    {"volatile", Order::kVolatile},
    {"relaxed", Order::kRelaxed},
    {"acquire", Order::kAcquire},
    {"release", Order::kRelease},
    {"acq_rel", Order::kAcqRel},
    {"sc", Order::kSc},
});
constexpr auto kScopes = std::to_array<Choice<Scope>>({
    {"cta", Scope::kCta},
    {"cluster", Scope::kCluster},
    {"gpu", Scope::kGpu},
    {"sys", Scope::kSys},
});
constexpr auto kAtomicOps = std::to_array<Choice<AtomicOp>>({
    {"add", AtomicOp::kAdd},
    {"min", AtomicOp::kMin},
    {"max", AtomicOp::kMax},
    {"inc", AtomicOp::kInc},
    {"dec", AtomicOp::kDec},
    {"and", AtomicOp::kAnd},
    {"or", AtomicOp::kOr},
    {"xor", AtomicOp::kXor},
    {"exch", AtomicOp::kExch},
    {"cas", AtomicOp::kCas},
});
constexpr auto kVectors = std::to_array<Choice<std::uint8_t>>({{"v2", 2}, {"v4", 4}, {"v8", 8}});
constexpr auto kHints = std::to_array<std::string_view>(
    {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
     "L1::no_allocate", "L2::evict_normal", "L2::evict_unchanged", "L2::evict_first",
     "L2::evict_last", "L2::64B", "L2::128B", "L2::256B"});

// Takes the first word of `choices` whose value is in `allowed`.
template <class Choices, class Field>
bool Assign(Words& words, const Choices& choices, Field& field, std::uint32_t allowed = ~0U) {
  for (std::size_t i = 0; i < words.left().size(); ++i) {
    for (const auto& [word, value] : choices) {
      if (words.left()[i] == word && ((allowed >> static_cast<unsigned>(value)) & 1U) != 0) {
        words.Remove(i);
        field = value;
        return true;
      }
    }
  }
  return false;
}

bool TakeFlag(Words& words, std::string_view word, bool& flag) {
  const bool is_there = words.Take(word);
  flag |= is_there;
  return is_there;
}

// min.xorsign.abs: the one word is nothing without the other.
bool TakeXorSign(Words& words, Instruction& instruction) {
  if (!words.Take("xorsign")) {
    return false;
  }
  if (!words.Take("abs")) {
    instruction.opcode = Opcode::kUnsupported;
    return false;
  }
  instruction.mode = Mode::kXorSignAbs;
  return true;
}

bool TakeShape(Words& words, Instruction& instruction) {
  const auto word = words.TakePrefix("m");
  if (!word) {
    return false;
  }
  const char* at = word->data();
  const char* const end = at + word->size();
  // A missing k is 0: ldmatrix.m8n8.
  for (auto [letter, field] : {std::pair{'m', &instruction.m}, std::pair{'n', &instruction.n},
                               std::pair{'k', &instruction.k}}) {
    if (at == end || *at != letter) {
      break;
    }
    at = std::from_chars(at + 1, end, *field).ptr;
  }
  return at == end && instruction.n != 0;
}

}  // namespace

bool TakeSpace(Words& words, std::uint32_t allowed, Instruction& instruction) {
  return Assign(words, kSpaces, instruction.space, allowed);
}

bool TakeOrder(Words& words, std::uint32_t allowed, Instruction& instruction) {
  return Assign(words, kOrders, instruction.order, allowed);
}

bool TakeScope(Words& words, std::uint32_t allowed, Instruction& instruction) {
  return Assign(words, kScopes, instruction.scope, allowed);
}

bool TakeCacheHints(Words& words, Instruction& instruction) {
  bool any = TakeFlag(words, "L2::cache_hint", instruction.has_cache_policy);
  for (const std::string_view hint : kHints) {
    any |= words.Take(hint);
  }
  return any;
}

std::string_view WordOf(Rounding rounding) {
  for (const auto& [word, value] : kRoundings) {
    if (value == rounding) {
      return word;
    }
  }
  return {};
}

std::uint32_t TakeModifiers(Words& words, const Form& form, Instruction& instruction) {
  std::uint32_t seen = 0;
  const auto take = [&](ModifierKind kind, auto&& taken) {
    if ((form.takes & kind) != 0 && taken()) {
      seen |= kind;
    }
  };
  take(kTakesRounding, [&] { return Assign(words, kRoundings, instruction.rounding, form.only); });
  take(kTakesFtz, [&] { return TakeFlag(words, "ftz", instruction.flush_to_zero); });
  take(kTakesSat, [&] { return TakeFlag(words, "sat", instruction.saturate); });
  take(kTakesSatFinite, [&] { return TakeFlag(words, "satfinite", instruction.saturate); });
  take(kTakesCarry, [&] { return TakeFlag(words, "cc", instruction.carry_out); });
  take(kTakesApprox, [&] { return TakeFlag(words, "approx", instruction.approximate); });
  take(kTakesRelu, [&] { return TakeFlag(words, "relu", instruction.relu); });
  take(kTakesNan, [&] { return TakeFlag(words, "NaN", instruction.nan_propagates); });
  take(kTakesCompare, [&] { return Assign(words, kCompares, instruction.compare, form.only); });
  take(kTakesBoolOp, [&] { return Assign(words, kBoolOps, instruction.bool_op); });
  take(kTakesSpace, [&] { return TakeSpace(words, ~0U, instruction); });
  take(kTakesUniform, [&] { return TakeFlag(words, "uni", instruction.is_uniform); });
  take(kTakesVector, [&] { return Assign(words, kVectors, instruction.vector); });
  take(kTakesCacheHints, [&] { return TakeCacheHints(words, instruction); });
  take(kTakesNoFtz, [&] { return words.Take("noftz"); });
  take(kTakesXorSign, [&] { return TakeXorSign(words, instruction); });
  take(kTakesSync, [&] { return words.Take("sync"); });
  take(kTakesAligned, [&] { return TakeFlag(words, "aligned", instruction.aligned); });
  take(kTakesAtomicOp, [&] { return Assign(words, kAtomicOps, instruction.atomic_op, form.only); });
  take(kTakesShape, [&] { return TakeShape(words, instruction); });
  return seen;
}

}  // namespace assay::gpu::ptx
