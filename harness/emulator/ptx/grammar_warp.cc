// SPDX-License-Identifier: Apache-2.0
// Modifiers of the instructions that the lanes of a warp, or of a block, execute together.
#include <algorithm>
#include <array>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/modifiers.h"

namespace assay::gpu::ptx {
namespace {

using ModeChoice = std::pair<std::string_view, Mode>;

// Takes row or col: true is row. One of them has to be there.
bool TakeRow(Words& words, Instruction& instruction) {
  static constexpr auto kLayouts =
      std::to_array<std::pair<std::string_view, bool>>({{"row", true}, {"col", false}});
  const auto row = words.TakeOne(kLayouts);
  if (!row) {
    instruction.opcode = Opcode::kUnsupported;
  }
  return row.value_or(true);
}

// Takes the word of one of `choices`, one of which has to be there.
template <class Choices>
void TakeMode(Words& words, const Choices& choices, Instruction& instruction) {
  if (const auto mode = words.TakeOne(choices)) {
    instruction.mode = *mode;
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void TakeBitOperation(Words& words, Instruction& instruction) {
  static constexpr auto kOperations = std::to_array<std::pair<std::string_view, BoolOp>>(
      {{"xor", BoolOp::kXor}, {"and", BoolOp::kAnd}});
  if (words.Take("popc")) {
    instruction.bool_op = words.TakeOne(kOperations).value_or(BoolOp::kNone);
  }
}

}  // namespace

void DecodeBarrier(Words& words, Instruction& instruction) {
  instruction.aligned = words.opcode() == "bar";
  if (words.Take("warp")) {
    instruction.opcode = words.Take("sync") ? Opcode::kBarWarp : Opcode::kUnsupported;
    return;
  }
  words.Take("cta");
  if (words.Take("sync")) {
    instruction.mode = Mode::kSync;
  } else if (words.Take("arrive")) {
    instruction.mode = Mode::kArrive;
  } else if (words.Take("red")) {
    static constexpr auto kModes = std::to_array<ModeChoice>(
        {{"popc", Mode::kRedPopc}, {"and", Mode::kRedAnd}, {"or", Mode::kRedOr}});
    instruction.mode = words.TakeOne(kModes).value_or(Mode::kNone);
  }
  if (instruction.mode == Mode::kNone) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeShuffle(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>(
      {{"up", Mode::kUp}, {"down", Mode::kDown}, {"bfly", Mode::kBfly}, {"idx", Mode::kIdx}});
  TakeMode(words, kModes, instruction);
}

void DecodeVote(Words& words, Instruction& instruction) {
  static constexpr auto kModes =
      std::to_array<ModeChoice>({{"all", Mode::kAll}, {"any", Mode::kAny}, {"uni", Mode::kUni}});
  TakeMode(words, kModes, instruction);
}

void DecodeBallot(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>({{"ballot", Mode::kBallot}});
  TakeMode(words, kModes, instruction);
}

void DecodeMatch(Words& words, Instruction& instruction) {
  static constexpr auto kModes =
      std::to_array<ModeChoice>({{"all", Mode::kAll}, {"any", Mode::kAny}});
  TakeMode(words, kModes, instruction);
}

void DecodeLoadMatrix(Words& words, Instruction& instruction) {
  static constexpr auto kCounts =
      std::to_array<std::pair<std::string_view, std::uint8_t>>({{"x1", 1}, {"x2", 2}, {"x4", 4}});
  instruction.transposed = words.Take("trans");
  TakeSpace(words, MaskOf(Space::kShared), instruction);
  instruction.count = words.TakeOne(kCounts).value_or(std::uint8_t{0});
  if (instruction.count == 0) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeMoveMatrix(Words& words, Instruction& instruction) {
  instruction.count = 1;
  instruction.transposed = words.Take("trans");
  if (!instruction.transposed) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeMma(Words& words, Instruction& instruction) {
  instruction.row_a = TakeRow(words, instruction);
  instruction.row_b = TakeRow(words, instruction);
  TakeBitOperation(words, instruction);
}

void DecodeWmma(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>(
      {{"load", Mode::kLoad}, {"store", Mode::kStore}, {"mma", Mode::kMma}});
  static constexpr auto kParts = std::to_array<std::pair<std::string_view, MatrixPart>>(
      {{"a", MatrixPart::kA}, {"b", MatrixPart::kB}, {"c", MatrixPart::kC}, {"d", MatrixPart::kD}});
  const auto mode = words.TakeOne(kModes);
  if (!mode) {
    instruction.opcode = Opcode::kUnsupported;
    return;
  }
  instruction.mode = *mode;
  if (mode == Mode::kMma) {
    instruction.row_a = TakeRow(words, instruction);
    instruction.row_b = TakeRow(words, instruction);
    TakeBitOperation(words, instruction);
    if (std::ranges::find(words.left(), "f64") != words.left().end()) {
      words.Take("rn");  // Sums of doubles alone are rounded.
    }
    return;
  }
  instruction.matrix_part = words.TakeOne(kParts).value_or(MatrixPart::kNone);
  TakeSpace(words, MaskOf(Space::kGlobal, Space::kShared), instruction);
  const bool row = TakeRow(words, instruction);
  switch (instruction.matrix_part) {
    case MatrixPart::kA:
      instruction.row_a = row;
      break;
    case MatrixPart::kB:
      instruction.row_b = row;
      break;
    case MatrixPart::kC:
    case MatrixPart::kD:
      instruction.row_c = row;
      break;
    case MatrixPart::kNone:
      instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeBranchTable(Words& words, Instruction& instruction) {
  if (!words.Take("idx")) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

}  // namespace assay::gpu::ptx
