// SPDX-License-Identifier: Apache-2.0
// Special registers by their names: PTX ISA 9.0, section 10.
#include "emulator/ptx/special_register.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::HasSubstr;

struct NamedRegister {
  std::string_view name;
  SpecialRegister reg;
  Type type;
};

constexpr auto kNamedRegisters = std::to_array<NamedRegister>({
    {"%tid.x", SpecialRegister::kTidX, Type::kU32},
    {"%tid.y", SpecialRegister::kTidY, Type::kU32},
    {"%tid.z", SpecialRegister::kTidZ, Type::kU32},
    {"%ntid.x", SpecialRegister::kNtidX, Type::kU32},
    {"%ntid.y", SpecialRegister::kNtidY, Type::kU32},
    {"%ntid.z", SpecialRegister::kNtidZ, Type::kU32},
    {"%ctaid.x", SpecialRegister::kCtaidX, Type::kU32},
    {"%ctaid.y", SpecialRegister::kCtaidY, Type::kU32},
    {"%ctaid.z", SpecialRegister::kCtaidZ, Type::kU32},
    {"%nctaid.x", SpecialRegister::kNctaidX, Type::kU32},
    {"%nctaid.y", SpecialRegister::kNctaidY, Type::kU32},
    {"%nctaid.z", SpecialRegister::kNctaidZ, Type::kU32},
    {"%laneid", SpecialRegister::kLaneid, Type::kU32},
    {"%warpid", SpecialRegister::kWarpid, Type::kU32},
    {"%nwarpid", SpecialRegister::kNwarpid, Type::kU32},
    {"%smid", SpecialRegister::kSmid, Type::kU32},
    {"%nsmid", SpecialRegister::kNsmid, Type::kU32},
    {"%gridid", SpecialRegister::kGridid, Type::kU64},
    {"%lanemask_eq", SpecialRegister::kLanemaskEq, Type::kU32},
    {"%lanemask_le", SpecialRegister::kLanemaskLe, Type::kU32},
    {"%lanemask_lt", SpecialRegister::kLanemaskLt, Type::kU32},
    {"%lanemask_ge", SpecialRegister::kLanemaskGe, Type::kU32},
    {"%lanemask_gt", SpecialRegister::kLanemaskGt, Type::kU32},
    {"%clock", SpecialRegister::kClock, Type::kU32},
    {"%clock_hi", SpecialRegister::kClockHi, Type::kU32},
    {"%clock64", SpecialRegister::kClock64, Type::kU64},
    {"%globaltimer", SpecialRegister::kGlobaltimer, Type::kU64},
    {"%globaltimer_lo", SpecialRegister::kGlobaltimerLo, Type::kU32},
    {"%globaltimer_hi", SpecialRegister::kGlobaltimerHi, Type::kU32},
    {"%dynamic_smem_size", SpecialRegister::kDynamicSmemSize, Type::kU32},
    {"%total_smem_size", SpecialRegister::kTotalSmemSize, Type::kU32},
    // A cluster has one block, so that its number is the block's.
    {"%clusterid.x", SpecialRegister::kCtaidX, Type::kU32},
    {"%clusterid.z", SpecialRegister::kCtaidZ, Type::kU32},
    {"%nclusterid.x", SpecialRegister::kNctaidX, Type::kU32},
    {"%nclusterid.y", SpecialRegister::kNctaidY, Type::kU32},
    {"%nclusterid.z", SpecialRegister::kNctaidZ, Type::kU32},
});

TEST(SpecialRegisters, HaveTheirNamesAndTypes) {
  for (const auto& [name, reg, type] : kNamedRegisters) {
    const auto found = FindSpecialRegister(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->reg, reg) << name;
    EXPECT_EQ(ToString(found->type), ToString(type)) << name;
    EXPECT_EQ(found->number, 0U) << name;
    EXPECT_FALSE(FindConstantRegister(name).has_value()) << name;
  }
}

TEST(SpecialRegisters, AreOperandsOfTheirKind) {
  for (const auto& [name, reg, type] : kNamedRegisters) {
    const std::string body = (type == Type::kU64 ? "mov.u64 %rd1, " : "mov.u32 %r1, ");
    const Instruction move = One(body + std::string(name) + ";");
    ASSERT_EQ(move.operands.size(), 2U) << name;
    EXPECT_EQ(move.operands[1].kind, Operand::Kind::kSpecial) << name;
    EXPECT_EQ(move.operands[1].special, reg) << name;
    EXPECT_EQ(move.operands[1].type, type) << name;
  }
}

TEST(SpecialRegisters, ThirtyTwoOfTheEnvironment) {
  for (std::uint64_t number = 0; number < 32; ++number) {
    const auto found = FindSpecialRegister("%envreg" + std::to_string(number));
    ASSERT_TRUE(found.has_value()) << number;
    EXPECT_EQ(found->reg, SpecialRegister::kEnvReg);
    EXPECT_EQ(found->type, Type::kB32);
    EXPECT_EQ(found->number, number);
  }
  EXPECT_EQ(One("mov.b32 %r1, %envreg3;").operands.at(1).bits, 3U);
  for (const std::string_view name :
       {"%envreg", "%envreg32", "%envreg-1", "%envreg3x", "%envreg3.x", "%envregx",
        "%envreg99999999999999999999", "envreg3"}) {
    EXPECT_FALSE(FindSpecialRegister(name).has_value()) << name;
  }
}

TEST(SpecialRegisters, ReservedSharedMemoryHasTwoOffsets) {
  for (const std::uint64_t number : {0U, 1U}) {
    const auto found = FindSpecialRegister("%reserved_smem_offset_" + std::to_string(number));
    ASSERT_TRUE(found.has_value()) << number;
    EXPECT_EQ(found->reg, SpecialRegister::kReservedSmemOffset);
    EXPECT_EQ(found->number, number);
  }
  EXPECT_FALSE(FindSpecialRegister("%reserved_smem_offset_2").has_value());
}

TEST(SpecialRegisters, OtherNamesAreNone) {
  for (const std::string_view name :
       {"", "%", "tid.x", "%TID.X", "%tid.xx", "%tidx", "%laneid.x", "%clock65", "%clock6",
        "%clock_lo", "%lanemask", "%lanemask_ne", "%smid2", "%r1", "%globaltimer_"}) {
    EXPECT_FALSE(FindSpecialRegister(name).has_value()) << name;
    EXPECT_FALSE(FindConstantRegister(name).has_value()) << name;
    EXPECT_FALSE(IsUnsupportedSpecialRegister(name)) << name;
  }
}

TEST(SpecialRegisters, ClustersOfOneBlockAreConstant) {
  for (const std::string_view zero : {"%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z",
                                      "%cluster_ctarank", "%is_explicit_cluster"}) {
    EXPECT_EQ(FindConstantRegister(zero), 0U) << zero;
    EXPECT_FALSE(FindSpecialRegister(zero).has_value()) << zero;
  }
  for (const std::string_view one :
       {"%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_nctarank"}) {
    EXPECT_EQ(FindConstantRegister(one), 1U) << one;
    EXPECT_FALSE(FindSpecialRegister(one).has_value()) << one;
  }
  const Instruction move = One("mov.pred %p1, %is_explicit_cluster;");
  ASSERT_EQ(move.operands.size(), 2U);
  EXPECT_EQ(move.operands[1].kind, Operand::Kind::kImmediate);
  EXPECT_EQ(move.operands[1].bits, 0U);
}

TEST(SpecialRegisters, FourthElementsAreZero) {
  for (const std::string name : {"%tid.w", "%ntid.w", "%ctaid.w", "%nctaid.w", "%clusterid.w",
                                 "%nclusterid.w", "%cluster_ctaid.w", "%cluster_nctaid.w"}) {
    EXPECT_EQ(FindConstantRegister(name), 0U) << name;
    const Instruction move = One("mov.u32 %r1, " + name + ";");
    ASSERT_EQ(move.operands.size(), 2U) << name;
    EXPECT_EQ(move.operands[1].kind, Operand::Kind::kImmediate) << name;
    EXPECT_EQ(move.operands[1].bits, 0U) << name;
  }
  for (const std::string_view name :
       {"%laneid.w", "%tid.v", "%cluster_nctaid.q", "%cluster_ctaid.", "%cluster_ctarank2"}) {
    EXPECT_FALSE(FindConstantRegister(name).has_value()) << name;
  }
}

TEST(SpecialRegisters, OnesThatWeDoNotHaveAreNamed) {
  for (const std::string name :
       {"%pm0", "%pm7", "%pm3_64", "%aggr_smem_size", "%current_graph_exec",
        "%reserved_smem_offset_begin", "%reserved_smem_offset_cap"}) {
    EXPECT_TRUE(IsUnsupportedSpecialRegister(name)) << name;
    EXPECT_FALSE(FindSpecialRegister(name).has_value()) << name;
    const Function kernel = Kernel("mov.u32 %r1, " + name + "; exit;");
    ASSERT_EQ(kernel.instructions.size(), 2U) << name;
    EXPECT_EQ(kernel.instructions[0].opcode, Opcode::kUnsupported) << name;
    EXPECT_EQ(kernel.instructions[0].reason, "special register " + name);
    EXPECT_EQ(kernel.instructions[1].opcode, Opcode::kExit) << name;
  }
}

TEST(SpecialRegisters, CannotBeWrittenNorBeAddresses) {
  EXPECT_EQ(One("mov.u32 %tid.x, 1;").reason, "operands of another width");
  EXPECT_EQ(One("add.u32 %laneid, %r1, 1;").reason, "operand 1 of another kind or width");
  EXPECT_THAT(Failure(ParseBody("ld.shared.u32 %r1, [%tid.x];")),
              HasSubstr("address of ld.shared.u32 is neither a register nor a variable"));
  EXPECT_THAT(Failure(ParseBody("@%tid.x exit;")), HasSubstr("is no predicate register"));
  EXPECT_THAT(Failure(ParseBody("mov.u32 %r1, %nothing;")),
              HasSubstr("test.ptx:5: \"%nothing\", an operand of mov.u32, is not declared"));
}

TEST(SpecialRegisters, DeclaredRegistersComeFirst) {
  const Function kernel = Kernel(".reg .b32 %laneid; mov.u32 %r1, %laneid;");
  ASSERT_EQ(kernel.instructions.size(), 1U);
  EXPECT_EQ(kernel.instructions[0].operands.at(1).kind, Operand::Kind::kRegister);
}

}  // namespace
}  // namespace assay::gpu::ptx
