// SPDX-License-Identifier: Apache-2.0
// Modifiers of arithmetic that are one opcode's own.
#include <array>

#include "emulator/ptx/grammar.h"

namespace assay::gpu::ptx {
namespace {

using ModeChoice = std::pair<std::string_view, Mode>;

}  // namespace

void DecodeLowHigh(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>({{"lo", Mode::kLo}, {"hi", Mode::kHi}});
  instruction.mode = words.TakeOne(kModes).value_or(Mode::kNone);
}

void DecodeLowHighWide(Words& words, Instruction& instruction) {
  static constexpr auto kModes =
      std::to_array<ModeChoice>({{"lo", Mode::kLo}, {"hi", Mode::kHi}, {"wide", Mode::kWide}});
  instruction.mode = words.TakeOne(kModes).value_or(Mode::kNone);
}

void DecodeDivide(Words& words, Instruction& instruction) {
  instruction.mode = words.Take("full") ? Mode::kFull : Mode::kNone;
}

void DecodeFunnelShift(Words& words, Instruction& instruction) {
  const bool left = words.Take("l");
  const bool right = words.Take("r");
  const bool clamp = words.Take("clamp");
  const bool wrap = words.Take("wrap");
  if (left == right || clamp == wrap) {
    instruction.opcode = Opcode::kUnsupported;
    return;
  }
  instruction.mode = left ? (clamp ? Mode::kLeftClamp : Mode::kLeftWrap)
                          : (clamp ? Mode::kRightClamp : Mode::kRightWrap);
}

void DecodeClampWrap(Words& words, Instruction& instruction) {
  static constexpr auto kModes =
      std::to_array<ModeChoice>({{"clamp", Mode::kClamp}, {"wrap", Mode::kWrap}});
  if (const auto mode = words.TakeOne(kModes)) {
    instruction.mode = *mode;
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodePermute(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>({{"f4e", Mode::kF4e},
                                                            {"b4e", Mode::kB4e},
                                                            {"rc8", Mode::kRc8},
                                                            {"ecl", Mode::kEcl},
                                                            {"ecr", Mode::kEcr},
                                                            {"rc16", Mode::kRc16}});
  instruction.mode = words.TakeOne(kModes).value_or(Mode::kNone);
}

void DecodeFindBit(Words& words, Instruction& instruction) {
  instruction.mode = words.Take("shiftamt") ? Mode::kShiftAmount : Mode::kNone;
}

void DecodeSum(Words& words, Instruction& instruction) {
  instruction.mode = words.Take("add") ? Mode::kSum : Mode::kNone;
}

void DecodeTestProperty(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>({{"finite", Mode::kFinite},
                                                            {"infinite", Mode::kInfinite},
                                                            {"number", Mode::kNumber},
                                                            {"notanumber", Mode::kNotANumber},
                                                            {"normal", Mode::kNormal},
                                                            {"subnormal", Mode::kSubnormal}});
  if (const auto mode = words.TakeOne(kModes)) {
    instruction.mode = *mode;
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

}  // namespace assay::gpu::ptx
