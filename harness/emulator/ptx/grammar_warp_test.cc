// SPDX-License-Identifier: Apache-2.0
// How what the lanes of a warp or block do together may be spelled: PTX ISA 9.0, sections 9.7.12 to
// 9.7.15.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

TEST(GrammarWarp, Barriers) {
  struct Case {
    std::string_view spelling;
    Opcode opcode;
    Mode mode;
    bool aligned;
  };
  for (const auto& [spelling, opcode, mode, aligned] : std::to_array<Case>({
           // bar is barrier.aligned.
           {"bar.sync", Opcode::kBar, Mode::kSync, true},
           {"bar.cta.sync", Opcode::kBar, Mode::kSync, true},
           {"bar.arrive", Opcode::kBar, Mode::kArrive, true},
           {"bar.red.popc.u32", Opcode::kBar, Mode::kRedPopc, true},
           {"bar.red.and.pred", Opcode::kBar, Mode::kRedAnd, true},
           {"bar.cta.red.or.pred", Opcode::kBar, Mode::kRedOr, true},
           {"barrier.sync", Opcode::kBar, Mode::kSync, false},
           {"barrier.sync.aligned", Opcode::kBar, Mode::kSync, true},
           {"barrier.cta.sync", Opcode::kBar, Mode::kSync, false},
           {"barrier.arrive", Opcode::kBar, Mode::kArrive, false},
           {"barrier.red.popc.u32", Opcode::kBar, Mode::kRedPopc, false},
           {"barrier.cta.red.popc.aligned.u32", Opcode::kBar, Mode::kRedPopc, true},
           {"barrier.red.or.pred", Opcode::kBar, Mode::kRedOr, false},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.opcode, opcode) << spelling;
    EXPECT_EQ(instruction.mode, mode) << spelling;
    EXPECT_EQ(instruction.aligned, aligned) << spelling;
  }
  EXPECT_EQ(DecodeSpelling("bar.warp.sync").opcode, Opcode::kBarWarp);
}

TEST(GrammarWarp, ShufflesVotesMatches) {
  struct Case {
    std::string_view spelling;
    Opcode opcode;
    Mode mode;
    Type type;
  };
  for (const auto& [spelling, opcode, mode, type] : std::to_array<Case>({
           {"shfl.sync.up.b32", Opcode::kShfl, Mode::kUp, Type::kB32},
           {"shfl.sync.down.b32", Opcode::kShfl, Mode::kDown, Type::kB32},
           {"shfl.sync.bfly.b32", Opcode::kShfl, Mode::kBfly, Type::kB32},
           {"shfl.sync.idx.b32", Opcode::kShfl, Mode::kIdx, Type::kB32},
           {"vote.sync.all.pred", Opcode::kVote, Mode::kAll, Type::kPred},
           {"vote.sync.any.pred", Opcode::kVote, Mode::kAny, Type::kPred},
           {"vote.sync.uni.pred", Opcode::kVote, Mode::kUni, Type::kPred},
           {"vote.sync.ballot.b32", Opcode::kVote, Mode::kBallot, Type::kB32},
           {"match.any.sync.b32", Opcode::kMatch, Mode::kAny, Type::kB32},
           {"match.all.sync.b64", Opcode::kMatch, Mode::kAll, Type::kB64},
           {"activemask.b32", Opcode::kActivemask, Mode::kNone, Type::kB32},
           {"elect.sync", Opcode::kElect, Mode::kNone, Type::kNone},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.opcode, opcode) << spelling;
    EXPECT_EQ(instruction.mode, mode) << spelling;
    EXPECT_EQ(ToString(instruction.type), ToString(type)) << spelling;
  }
  EXPECT_EQ(TypesTaken("shfl.sync.idx."), "b32");
  EXPECT_EQ(TypesTaken("match.any.sync."), "b32 b64");
  EXPECT_EQ(TypesTaken("activemask."), "b32");
}

TEST(GrammarWarp, Reductions) {
  struct Case {
    std::string_view spelling;
    AtomicOp operation;
  };
  for (const auto& [spelling, operation] : std::to_array<Case>({
           {"redux.sync.add.u32", AtomicOp::kAdd},
           {"redux.sync.add.s32", AtomicOp::kAdd},
           {"redux.sync.min.u32", AtomicOp::kMin},
           {"redux.sync.max.s32", AtomicOp::kMax},
           {"redux.sync.and.b32", AtomicOp::kAnd},
           {"redux.sync.or.b32", AtomicOp::kOr},
           {"redux.sync.xor.b32", AtomicOp::kXor},
       })) {
    EXPECT_EQ(ReasonOf(spelling), "") << spelling;
    EXPECT_EQ(DecodeSpelling(spelling).atomic_op, operation) << spelling;
  }
}

TEST(GrammarWarp, MatricesOfEightByEight) {
  struct Case {
    std::string_view spelling;
    Opcode opcode;
    int count;
    bool transposed;
    Space space;
  };
  for (const auto& [spelling, opcode, count, transposed, space] : std::to_array<Case>({
           {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", Opcode::kLdmatrix, 1, false,
            Space::kShared},
           {"ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16", Opcode::kLdmatrix, 2, true,
            Space::kShared},
           {"ldmatrix.sync.aligned.m8n8.x4.b16", Opcode::kLdmatrix, 4, false, Space::kGeneric},
           {"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", Opcode::kStmatrix, 4, true,
            Space::kShared},
           {"movmatrix.sync.aligned.m8n8.trans.b16", Opcode::kMovmatrix, 1, true, Space::kGeneric},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.opcode, opcode) << spelling;
    EXPECT_EQ(instruction.count, count) << spelling;
    EXPECT_EQ(instruction.transposed, transposed) << spelling;
    EXPECT_EQ(instruction.space, space) << spelling;
    EXPECT_EQ(instruction.m, 8) << spelling;
    EXPECT_EQ(instruction.n, 8) << spelling;
    EXPECT_EQ(instruction.k, 0) << spelling;
  }
}

TEST(GrammarWarp, LayoutsOfProducts) {
  const Instruction plain = DecodeSpelling("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  EXPECT_TRUE(plain.row_a);
  EXPECT_FALSE(plain.row_b);
  const Instruction swapped = DecodeSpelling("mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16");
  EXPECT_EQ(swapped.reason, "");
  EXPECT_FALSE(swapped.row_a);
  EXPECT_TRUE(swapped.row_b);
  const Instruction both = DecodeSpelling("wmma.mma.sync.aligned.col.col.m16n16k16.f32.f32");
  EXPECT_EQ(both.reason, "");
  EXPECT_FALSE(both.row_a);
  EXPECT_FALSE(both.row_b);
  const auto load = [](std::string_view words) {
    return DecodeSpelling("wmma.load." + std::string(words) + ".m16n16k16.f16");
  };
  EXPECT_FALSE(load("a.sync.aligned.col").row_a);
  EXPECT_TRUE(load("b.sync.aligned.row").row_b);
  EXPECT_FALSE(load("b.sync.aligned.col").row_b);
  EXPECT_FALSE(load("c.sync.aligned.col").row_c);
  EXPECT_EQ(load("b.sync.aligned.row").matrix_part, MatrixPart::kB);
  EXPECT_EQ(load("c.sync.aligned.row").mode, Mode::kLoad);
  const Instruction store = DecodeSpelling("wmma.store.d.sync.aligned.row.m16n16k16.shared.f16");
  EXPECT_EQ(store.mode, Mode::kStore);
  EXPECT_EQ(store.matrix_part, MatrixPart::kD);
  EXPECT_TRUE(store.row_c);
  EXPECT_EQ(store.space, Space::kShared);
}

TEST(GrammarWarp, ProductsOfBitsNameTheirOperation) {
  EXPECT_EQ(DecodeSpelling("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc").bool_op,
            BoolOp::kXor);
  EXPECT_EQ(DecodeSpelling("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc").bool_op,
            BoolOp::kAnd);
  EXPECT_EQ(DecodeSpelling("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32").bool_op,
            BoolOp::kXor);
}

TEST(GrammarWarp, ControlFlow) {
  EXPECT_TRUE(DecodeSpelling("bra.uni").is_uniform);
  EXPECT_FALSE(DecodeSpelling("bra").is_uniform);
  EXPECT_TRUE(DecodeSpelling("call.uni").is_uniform);
  EXPECT_TRUE(DecodeSpelling("ret.uni").is_uniform);
  EXPECT_TRUE(DecodeSpelling("brx.idx.uni").is_uniform);
  EXPECT_EQ(DecodeSpelling("brx.idx").opcode, Opcode::kBrx);
  EXPECT_EQ(DecodeSpelling("griddepcontrol.wait").mode, Mode::kWaitAll);
}

TEST(GrammarWarp, WordsBelongToTypesAndOperations) {
  struct Case {
    std::string_view spelling;
    std::string_view reason;
  };
  constexpr std::string_view kCombination = "combination of modifiers";
  for (const auto& [spelling, reason] : std::to_array<Case>({
           {"vote.sync.ballot.pred", "modifier .ballot"},
           {"vote.sync.all.b32", "modifier .all"},
           {"vote.sync.uni.b32", "modifier .uni"},
           {"match.ballot.sync.b32", "modifier .ballot"},
           {"match.uni.sync.b64", "modifier .uni"},
           {"redux.sync.add.b32", "modifier .add"},
           {"redux.sync.and.u32", "modifier .and"},
           {"redux.sync.xor.s32", "modifier .xor"},
           {"redux.sync.inc.u32", "modifier .inc"},
           {"redux.sync.exch.b32", "modifier .exch"},
           {"bar.red.popc.pred", kCombination},
           {"bar.red.and.u32", kCombination},
           {"barrier.red.or.u32", kCombination},
           {"ldmatrix.sync.aligned.m8n8.x1.global.b16", "modifier .global"},
           {"stmatrix.sync.aligned.m8n8.x1.local.b16", "modifier .local"},
           {"movmatrix.sync.aligned.m8n8.b16", kCombination},
           {"movmatrix.sync.aligned.m8n8.x1.trans.b16", "modifier .x1"},
           {"mma.sync.aligned.m16n8k8.f32.f16.f16.f32", kCombination},
           {"mma.sync.aligned.m16n8k8.row.f32.f16.f16.f32", kCombination},
           {"mma.sync.aligned.m16n8k8.row.col.satfinite.f32.f16.f16.f32", "modifier .satfinite"},
           {"wmma.mma.sync.aligned.row.m16n16k16.f32.f32", kCombination},
           {"wmma.load.a.sync.aligned.m16n16k16.f16", kCombination},
           {"wmma.load.a.sync.aligned.row.m16n16k16.const.f16", "modifier .const"},
           {"wmma.load.c.sync.aligned.row.m16n16k16.satfinite.s32", kCombination},
           {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite", "modifier .satfinite"},
           {"wmma.mma.sync.aligned.row.col.m16n16k16.rn.f32.f32", "modifier .rn"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), reason) << spelling;
  }
  for (const std::string_view spelling :
       {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite",
        "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64",
        "wmma.load.a.sync.aligned.row.m16n16k16.shared::cta.f16"}) {
    EXPECT_EQ(ReasonOf(spelling), "") << spelling;
  }
}

TEST(GrammarWarp, RefusedSpellingsNameTheirWord) {
  struct Case {
    std::string_view spelling;
    std::string_view reason;
  };
  constexpr std::string_view kCombination = "combination of modifiers";
  for (const auto& [spelling, reason] : std::to_array<Case>({
           {"bar", kCombination},
           {"bar.red.u32", kCombination},
           {"bar.red.popc", kCombination},
           {"bar.sync.u32", kCombination},
           {"bar.sync.aligned", "modifier .aligned"},
           {"bar.red.xor.pred", "modifier .xor"},
           {"bar.sync.arrive", "modifier .arrive"},
           {"bar.warp", kCombination},
           {"bar.warp.arrive", "modifier .arrive"},
           {"barrier.cluster.wait", "modifier .cluster"},
           {"shfl.up.b32", kCombination},
           {"shfl.sync.b32", kCombination},
           {"shfl.sync.up", kCombination},
           {"shfl.sync.up.down.b32", "modifier .down"},
           {"shfl.sync.left.b32", "modifier .left"},
           {"vote.all.pred", kCombination},
           {"vote.sync.pred", kCombination},
           {"vote.sync.none.pred", "modifier .none"},
           {"vote.sync.all.u32", "type .u32"},
           {"match.any.b32", kCombination},
           {"match.sync.b32", kCombination},
           {"match.any.all.sync.b32", "modifier .all"},
           {"redux.add.s32", kCombination},
           {"redux.sync.s32", kCombination},
           {"redux.sync.add.u64", "type .u64"},
           {"redux.sync.mul.u32", "modifier .mul"},
           {"redux.sync.min.abs.f32", "modifier .abs"},
           {"elect", kCombination},
           {"activemask", kCombination},
           {"ldmatrix.sync.aligned.m8n8.shared.b16", kCombination},
           {"ldmatrix.sync.aligned.x1.shared.b16", kCombination},
           {"ldmatrix.sync.m8n8.x1.shared.b16", kCombination},
           {"ldmatrix.aligned.m8n8.x1.shared.b16", kCombination},
           {"ldmatrix.sync.aligned.m8n8.x3.shared.b16", "modifier .x3"},
           {"ldmatrix.sync.aligned.m8n8.x1.shared.b32", "type .b32"},
           {"ldmatrix.sync.aligned.m8n16.x1.shared.b16", kCombination},
           {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", "type .b8"},
           {"ldmatrix.sync.aligned.m8n8k4.x1.shared.b16", kCombination},
           {"ldmatrix.sync.aligned.m8n8x.x1.shared.b16", kCombination},
           {"mma.aligned.m16n8k8.row.col.f32.f16.f16.f32", kCombination},
           {"mma.sync.m16n8k8.row.col.f32.f16.f16.f32", kCombination},
           {"mma.sync.aligned.row.col.f32.f16.f16.f32", kCombination},
           {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16", kCombination},
           {"mma.sync.aligned.m16n8k8.row.col.row.f32.f16.f16.f32", "modifier .row"},
           {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "modifier .sp"},
           {"wmma.sync.aligned.m16n16k16.f16", kCombination},
           {"wmma.load.sync.aligned.row.m16n16k16.f16", kCombination},
           {"wmma.load.a.row.m16n16k16.f16", kCombination},
           {"wmma.load.a.sync.aligned.row.m16n16k16.f16.f16", kCombination},
           {"wmma.mma.sync.aligned.row.col.m16n16k16.f16", kCombination},
           {"wmma.load.e.sync.aligned.row.m16n16k16.f16", "modifier .e"},
           {"brx", kCombination},
           {"brx.idx.all", "modifier .all"},
           {"bra.any", "modifier .any"},
           {"wgmma.wait_group.sync.aligned", "opcode wgmma"},
           {"tcgen05.alloc", "opcode tcgen05"},
           {"mapa.shared::cluster.u32", "opcode mapa"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), reason) << spelling;
  }
}

}  // namespace
}  // namespace assay::gpu::ptx
