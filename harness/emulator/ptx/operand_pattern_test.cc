// SPDX-License-Identifier: Apache-2.0
// The table of instructions, and what it says of operands.
#include "emulator/ptx/operand_pattern.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

std::vector<Opcode> AllOpcodes() {
  return {
#define INSTRUCTION(opcode, ...) Opcode::opcode,
#include "emulator/ptx/instructions.inc"
  };
}

/// What the functions that give patterns look at, in every combination.
std::vector<Instruction> Variations(Opcode opcode) {
  std::vector<Instruction> all;
  for (auto mode = Mode::kNone; mode <= Mode::kXorSignAbs;
       mode = static_cast<Mode>(static_cast<std::uint8_t>(mode) + 1)) {
    for (const bool flag : {false, true}) {
      for (const MatrixPart part :
           {MatrixPart::kA, MatrixPart::kB, MatrixPart::kC, MatrixPart::kD}) {
        for (const std::string_view spelling : {"a.range", "a.cvt", "a"}) {
          Instruction instruction;
          instruction.opcode = opcode;
          instruction.mode = mode;
          instruction.parity = instruction.expect_tx = flag;
          instruction.atomic_op = flag ? AtomicOp::kCas : AtomicOp::kAdd;
          instruction.type = flag ? Type::kF16x2 : Type::kF32;
          instruction.source_type = Type::kF32;
          instruction.matrix_part = part;
          instruction.spelling = spelling;
          all.push_back(instruction);
        }
      }
    }
  }
  return all;
}

TEST(OperandPattern, EveryRowHasAWellFormedOne) {
  for (const Opcode opcode : AllOpcodes()) {
    for (const Instruction& instruction : Variations(opcode)) {
      const std::string text(OperandPattern(instruction).text());
      EXPECT_TRUE(IsWellFormed(text)) << ToString(opcode) << ": " << text;
    }
  }
}

TEST(OperandPattern, FaultyOnesAreNotWellFormed) {
  for (const std::string_view pattern : {"", "*", "dT", "dT|PsTsP?", "[]sV", "##", "dTsT##?"}) {
    EXPECT_TRUE(IsWellFormed(pattern)) << pattern;
  }
  for (const std::string_view pattern : {"d", "dX", "xT", "[W", "#]", "dTs", "sTdT", "|PdT",
                                         "dTsT|P", "dTdT", "dTsT?sT?", "?", "**"}) {
    EXPECT_FALSE(IsWellFormed(pattern)) << pattern;
  }
}

TEST(OperandPattern, WordsOfTheTableAreThoseThatBeginAnInstruction) {
  EXPECT_EQ(DecodeSpelling("bar.warp.sync").opcode, Opcode::kBarWarp);
  EXPECT_EQ(DecodeSpelling("barrier.sync").opcode, Opcode::kBar);
  EXPECT_EQ(DecodeSpelling("cp.async.wait_all").opcode, Opcode::kCpAsync);
  EXPECT_EQ(DecodeSpelling("prefetchu.L1").opcode, Opcode::kPrefetch);
  EXPECT_EQ(ReasonOf("unsupported"), "opcode unsupported");
  EXPECT_EQ(ReasonOf("kAbs.s32"), "opcode kAbs");
  std::set<std::string> unknown;
  for (const Opcode opcode : AllOpcodes()) {
    const std::string name(ToString(opcode));
    const std::string first_word = name.substr(0, name.find('.'));
    if (ReasonOf(first_word) == "opcode " + first_word) {
      unknown.insert(name);
    }
  }
  EXPECT_EQ(unknown, std::set<std::string>{});
}

/// The types of the places of `text`'s operands, with `d` `s` `[` `#` for their roles.
std::string Places(const std::string& text) {
  static constexpr std::string_view kRoles = "-ds[#";
  const Instruction instruction = One(text + ";");
  EXPECT_EQ(instruction.reason, "") << text;
  std::string places;
  for (std::size_t i = 0; i <= instruction.operands.size(); ++i) {
    const Place place = PlaceOf(instruction, i);
    places += kRoles[static_cast<std::size_t>(place.role)];
    places += ToString(place.type);
    places += i < instruction.operands.size() ? " " : "";
  }
  return places;
}

TEST(OperandPattern, PlacesAreThoseOfTheOperandsThatAreThere) {
  EXPECT_EQ(Places("mad.wide.u16 %r1, %h1, 3, 4"), "du32 su16 su16 su32 -none");
  EXPECT_EQ(Places("setp.eq.s32 %p1, %r1, 2"), "dpred ss32 ss32 -none");
  EXPECT_EQ(Places("setp.eq.and.s32 %p1|%p2, %r1, 2, %p3"), "dpred dpred ss32 ss32 spred -none");
  EXPECT_EQ(Places("bar.red.popc.u32 %r1, 0, %p1"), "du32 su32 spred -none");
  EXPECT_EQ(Places("bar.red.popc.u32 %r1, 0, 32, %p1"), "du32 su32 su32 spred -none");
  EXPECT_EQ(Places("st.global.L2::cache_hint.v2.f32 [%rd1], {%f1, %f2}, 5"),
            "[u64 sf32 su64 -none");
  EXPECT_EQ(Places("cp.async.ca.shared.global [%r1], [%rd1], 8, 4"), "[u64 [u64 #u32 su32 -none");
  EXPECT_EQ(Places("cp.async.ca.shared.global [%r1], [%rd1], 8, %p1"),
            "[u64 [u64 #u32 spred -none");
  EXPECT_EQ(Places("bra L; L: exit"), "-none -none");
}

TEST(OperandPattern, GroupsSayWhoExecutesAnInstruction) {
  EXPECT_EQ(GroupOf(Opcode::kFma), Group::kArithmetic);
  EXPECT_EQ(GroupOf(Opcode::kLd), Group::kMemory);
  EXPECT_EQ(GroupOf(Opcode::kShfl), Group::kWarp);
  EXPECT_EQ(GroupOf(Opcode::kBra), Group::kControl);
  EXPECT_EQ(GroupOf(Opcode::kUnsupported), Group::kNone);
}

}  // namespace
}  // namespace assay::gpu::ptx
