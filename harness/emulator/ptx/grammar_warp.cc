// SPDX-License-Identifier: Apache-2.0
// Modifiers of the instructions that the lanes of a warp, or of a block, execute together.
#include <array>

#include "emulator/ptx/grammar.h"

namespace assay::gpu::ptx {
namespace {

using ModeChoice = std::pair<std::string_view, Mode>;

// Takes row or col; true: row.
bool TakeRow(Words& words, bool otherwise) {
  static constexpr auto kLayouts =
      std::to_array<std::pair<std::string_view, bool>>({{"row", true}, {"col", false}});
  return words.TakeOne(kLayouts).value_or(otherwise);
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
  if (const auto mode = words.TakeOne(kModes)) {
    instruction.mode = *mode;
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeVote(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>(
      {{"all", Mode::kAll}, {"any", Mode::kAny}, {"uni", Mode::kUni}, {"ballot", Mode::kBallot}});
  if (const auto mode = words.TakeOne(kModes)) {
    instruction.mode = *mode;
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeLoadMatrix(Words& words, Instruction& instruction) {
  static constexpr auto kCounts =
      std::to_array<std::pair<std::string_view, std::uint8_t>>({{"x1", 1}, {"x2", 2}, {"x4", 4}});
  instruction.transposed = words.Take("trans");
  instruction.count = words.TakeOne(kCounts).value_or(
      instruction.opcode == Opcode::kMovmatrix ? std::uint8_t{1} : std::uint8_t{0});
  if (instruction.count == 0) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeMma(Words& words, Instruction& instruction) {
  instruction.row_a = TakeRow(words, true);
  instruction.row_b = TakeRow(words, false);
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
    instruction.row_a = TakeRow(words, true);
    instruction.row_b = TakeRow(words, false);
    TakeBitOperation(words, instruction);
    words.Take("rn");
    return;
  }
  instruction.matrix_part = words.TakeOne(kParts).value_or(MatrixPart::kNone);
  const bool row = TakeRow(words, true);
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
