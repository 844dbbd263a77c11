// SPDX-License-Identifier: Apache-2.0
// How atomics, fences and mbarriers may be spelled: PTX ISA 9.0, section 9.7.13.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

TEST(GrammarSynchronisation, AtomicOperations) {
  struct Case {
    std::string_view spelling;
    AtomicOp operation;
    Type type;
  };
  for (const auto& [spelling, operation, type] : std::to_array<Case>({
           {"atom.global.add.u32", AtomicOp::kAdd, Type::kU32},
           {"atom.shared.add.u64", AtomicOp::kAdd, Type::kU64},
           {"atom.add.f64", AtomicOp::kAdd, Type::kF64},
           {"atom.global.add.noftz.bf16x2", AtomicOp::kAdd, Type::kBf16x2},
           {"atom.min.s64", AtomicOp::kMin, Type::kS64},
           {"atom.max.u32", AtomicOp::kMax, Type::kU32},
           {"atom.inc.u32", AtomicOp::kInc, Type::kU32},
           {"atom.dec.u32", AtomicOp::kDec, Type::kU32},
           {"atom.and.b32", AtomicOp::kAnd, Type::kB32},
           {"atom.or.b64", AtomicOp::kOr, Type::kB64},
           {"atom.xor.b32", AtomicOp::kXor, Type::kB32},
           {"atom.exch.b128", AtomicOp::kExch, Type::kB128},
           {"atom.cas.b16", AtomicOp::kCas, Type::kB16},
           {"red.shared::cta.xor.b64", AtomicOp::kXor, Type::kB64},
           {"red.global.v2.f32.add", AtomicOp::kAdd, Type::kF32},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.atomic_op, operation) << spelling;
    EXPECT_EQ(ToString(instruction.type), ToString(type)) << spelling;
  }
}

TEST(GrammarSynchronisation, AtomicsHaveTheirTypes) {
  for (const std::string atomic : {"atom", "red"}) {
    const bool returns = atomic == "atom";
    const auto types = [&](std::string_view operation) {
      return TypesTaken(atomic + "." + std::string(operation) + ".");
    };
    EXPECT_EQ(types("add"), "u32 u64 s32 s64 f32 f64") << atomic;
    EXPECT_EQ(types("add.noftz"), "f16 f16x2 bf16 bf16x2") << atomic;
    EXPECT_EQ(types("global.min"), "u32 u64 s32 s64") << atomic;
    EXPECT_EQ(types("shared.max"), "u32 u64 s32 s64") << atomic;
    EXPECT_EQ(types("inc"), "u32") << atomic;
    EXPECT_EQ(types("dec"), "u32") << atomic;
    EXPECT_EQ(types("and"), "b32 b64") << atomic;
    EXPECT_EQ(types("or"), "b32 b64") << atomic;
    EXPECT_EQ(types("xor"), "b32 b64") << atomic;
    EXPECT_EQ(types("exch"), returns ? "b32 b64 b128" : "") << atomic;
    EXPECT_EQ(types("cas"), returns ? "b16 b32 b64 b128" : "") << atomic;
    EXPECT_EQ(types("global.add.v2"), "f32") << atomic;
    EXPECT_EQ(types("global.min.noftz.v2"), "f16 f16x2 bf16 bf16x2") << atomic;
    EXPECT_EQ(types("min.noftz"), "") << atomic;
  }
}

TEST(GrammarSynchronisation, AtomicsThatPtxDoesNotHaveAreRefusedByTheirWord) {
  struct Case {
    std::string_view spelling;
    std::string_view word;
  };
  for (const auto& [spelling, word] : std::to_array<Case>({
           {"atom.and.u32", "and"},
           {"atom.inc.s32", "inc"},
           {"atom.add.b32", "add"},
           {"atom.cas.f32", "cas"},
           {"atom.exch.s32", "exch"},
           {"atom.min.f32", "min"},
           {"atom.exch.b16", "exch"},
           {"atom.add.noftz.f32", "noftz"},
           {"red.cas.b32", "cas"},
           {"red.exch.b64", "exch"},
           {"red.or.s32", "or"},
           {"atom.sc.gpu.add.u32", "sc"},
           {"atom.volatile.add.u32", "volatile"},
           {"atom.weak.add.u32", "weak"},
           {"red.sc.gpu.add.u32", "sc"},
           {"atom.local.add.u32", "local"},
           {"atom.const.add.u32", "const"},
           {"red.param.add.u32", "param"},
           {"atom.global.ca.add.u32", "ca"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), "modifier ." + std::string(word)) << spelling;
  }
  EXPECT_EQ(ReasonOf("atom.add.f16"), "combination of modifiers");
  EXPECT_EQ(ReasonOf("red.global.add.bf16x2"), "combination of modifiers");
}

TEST(GrammarSynchronisation, FencesAreOfAScopeOrAProxy) {
  for (const std::string_view spelling :
       {"fence.acquire.gpu", "fence.release.cluster", "fence.acq_rel.sys", "fence.gpu",
        "fence.proxy.alias", "fence.proxy.async.global", "fence.proxy.async.shared::cta",
        "fence.mbarrier_init.release.cluster",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"}) {
    EXPECT_EQ(ReasonOf(spelling), "") << spelling;
  }
  struct Case {
    std::string_view spelling;
    std::string_view reason;
  };
  constexpr std::string_view kCombination = "combination of modifiers";
  for (const auto& [spelling, reason] : std::to_array<Case>({
           {"fence", kCombination},
           {"fence.sc", "modifier .sc"},
           {"fence.acq_rel", "modifier .acq_rel"},
           {"fence.volatile.gpu", "modifier .volatile"},
           {"fence.weak.gpu", "modifier .weak"},
           {"fence.proxy", kCombination},
           {"fence.proxy.global", "modifier .global"},
           {"fence.proxy.alias.gpu", "modifier .gpu"},
           {"fence.proxy.release.sync_restrict::shared::cta.cluster", "modifier .release"},
           {"fence.mbarrier_init", kCombination},
           {"fence.mbarrier_init.release.gpu", "modifier .gpu"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), reason) << spelling;
  }
}

TEST(GrammarSynchronisation, Mbarriers) {
  struct Case {
    std::string_view spelling;
    Mode mode;
    Order order;
  };
  for (const auto& [spelling, mode, order] : std::to_array<Case>({
           {"mbarrier.arrive.shared.b64", Mode::kArrive, Order::kRelease},
           {"mbarrier.arrive.release.cta.shared::cta.b64", Mode::kArrive, Order::kRelease},
           {"mbarrier.arrive.relaxed.cluster.b64", Mode::kArrive, Order::kRelaxed},
           {"mbarrier.arrive_drop.shared.b64", Mode::kArriveDrop, Order::kRelease},
           {"mbarrier.test_wait.shared.b64", Mode::kTestWait, Order::kAcquire},
           {"mbarrier.test_wait.relaxed.cta.b64", Mode::kTestWait, Order::kRelaxed},
           {"mbarrier.try_wait.shared.b64", Mode::kTryWait, Order::kAcquire},
           {"mbarrier.complete_tx.relaxed.cta.shared.b64", Mode::kComplete, Order::kRelaxed},
           {"mbarrier.expect_tx.relaxed.cta.shared.b64", Mode::kExpectTx, Order::kRelaxed},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.mode, mode) << spelling;
    EXPECT_EQ(instruction.order, order) << spelling;
  }
  EXPECT_EQ(DecodeSpelling("mbarrier.init.shared.b64").mode, Mode::kInit);
  EXPECT_EQ(DecodeSpelling("mbarrier.inval.b64").mode, Mode::kInval);
  EXPECT_EQ(DecodeSpelling("mbarrier.pending_count.b64").mode, Mode::kPendingCount);
  EXPECT_EQ(DecodeSpelling("mbarrier.arrive.b64").scope, Scope::kCta);
  EXPECT_EQ(DecodeSpelling("mbarrier.arrive.release.cluster.b64").scope, Scope::kCluster);
  EXPECT_TRUE(DecodeSpelling("mbarrier.arrive.noComplete.shared.b64").no_complete);
  EXPECT_TRUE(DecodeSpelling("mbarrier.arrive_drop.expect_tx.shared.b64").expect_tx);
  EXPECT_TRUE(DecodeSpelling("mbarrier.test_wait.parity.b64").parity);
  EXPECT_FALSE(DecodeSpelling("mbarrier.test_wait.b64").parity);
}

TEST(GrammarSynchronisation, MbarrierOperationsHaveTheirOwnWords) {
  struct Case {
    std::string_view spelling;
    std::string_view word;
  };
  for (const auto& [spelling, word] : std::to_array<Case>({
           {"mbarrier.arrive.acquire.cta.b64", "acquire"},
           {"mbarrier.test_wait.release.cta.b64", "release"},
           {"mbarrier.arrive.release.gpu.b64", "gpu"},
           {"mbarrier.try_wait.acquire.sys.b64", "sys"},
           {"mbarrier.arrive.parity.b64", "parity"},
           {"mbarrier.test_wait.noComplete.b64", "noComplete"},
           {"mbarrier.arrive.expect_tx.noComplete.b64", "noComplete"},
           {"mbarrier.init.expect_tx.b64", "expect_tx"},
           {"mbarrier.init.release.cta.b64", "release"},
           {"mbarrier.inval.cta.b64", "cta"},
           {"mbarrier.expect_tx.release.cta.b64", "release"},
           {"mbarrier.pending_count.shared.b64", "shared"},
           {"mbarrier.arrive.global.b64", "global"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), "modifier ." + std::string(word)) << spelling;
  }
}

}  // namespace
}  // namespace assay::gpu::ptx
