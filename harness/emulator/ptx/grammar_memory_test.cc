// SPDX-License-Identifier: Apache-2.0
// How loads, stores, copies and what goes through memory otherwise may be spelled: PTX ISA 9.0,
// section 9.7.9.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

TEST(GrammarMemory, LoadsAndStoresInEverySpace) {
  constexpr std::array<std::pair<std::string_view, Space>, 10> kNames = {{
      {"", Space::kGeneric},
      {".global", Space::kGlobal},
      {".shared", Space::kShared},
      {".shared::cta", Space::kShared},
      {".shared::cluster", Space::kShared},
      {".local", Space::kLocal},
      {".const", Space::kConst},
      {".param", Space::kParam},
      {".param::entry", Space::kParam},
      {".param::func", Space::kParam},
  }};
  for (const auto& [name, space] : kNames) {
    const std::string words(name);
    EXPECT_EQ(DecodeSpelling("ld" + words + ".u32").space, space) << name;
    EXPECT_EQ(ReasonOf("ld" + words + ".u32"), "") << name;
    if (space != Space::kConst && name != ".param::entry") {
      EXPECT_EQ(DecodeSpelling("st" + words + ".u32").space, space) << name;
      EXPECT_EQ(ReasonOf("st" + words + ".u32"), "") << name;
    }
  }
}

TEST(GrammarMemory, TypesAndVectorsOfAtMost256Bits) {
  for (const std::string type : {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32",
                                 "b64", "u64", "s64", "f64"}) {
    for (const std::string before : {"ld.global.", "st.global.", "ld.global.v2.", "st.shared.v2.",
                                     "ld.global.v4.", "st.global.v4."}) {
      EXPECT_EQ(ReasonOf(before + type), "") << before << type;
    }
  }
  EXPECT_EQ(DecodeSpelling("ld.global.v2.u8").vector, 2);
  EXPECT_EQ(DecodeSpelling("ld.global.v4.f64").vector, 4);
  EXPECT_EQ(DecodeSpelling("st.global.v8.f32").vector, 8);
  EXPECT_EQ(DecodeSpelling("ld.global.u32").vector, 1);
  EXPECT_EQ(ReasonOf("ld.global.b128"), "");
  for (const std::string_view wide :
       {"ld.global.v8.f64", "st.global.v4.b128", "ldu.global.v8.u64", "red.global.add.v8.f64"}) {
    EXPECT_EQ(ReasonOf(wide), "combination of modifiers") << wide;
  }
}

TEST(GrammarMemory, OrdersAndScopes) {
  struct Case {
    std::string_view spelling;
    Order order;
    Scope scope;
  };
  for (const auto& [spelling, order, scope] : std::to_array<Case>({
           {"ld.u32", Order::kWeak, Scope::kNone},
           {"ld.weak.global.u32", Order::kWeak, Scope::kNone},
           {"ld.volatile.global.u32", Order::kVolatile, Scope::kNone},
           {"ld.relaxed.cta.u32", Order::kRelaxed, Scope::kCta},
           {"ld.acquire.cluster.global.u32", Order::kAcquire, Scope::kCluster},
           {"ld.acquire.sys.global.v2.u32", Order::kAcquire, Scope::kSys},
           {"st.relaxed.gpu.u32", Order::kRelaxed, Scope::kGpu},
           {"st.release.sys.global.u32", Order::kRelease, Scope::kSys},
           {"st.mmio.relaxed.sys.global.u32", Order::kRelaxed, Scope::kSys},
           // An atomic is relaxed and of the GPU where it does not say otherwise.
           {"atom.add.u32", Order::kRelaxed, Scope::kGpu},
           {"red.add.u32", Order::kRelaxed, Scope::kGpu},
           {"atom.cta.add.u32", Order::kRelaxed, Scope::kCta},
           {"atom.acquire.add.u32", Order::kAcquire, Scope::kGpu},
           {"atom.release.sys.global.exch.b64", Order::kRelease, Scope::kSys},
           {"atom.acq_rel.cluster.add.u32", Order::kAcqRel, Scope::kCluster},
           {"red.release.gpu.global.add.f32", Order::kRelease, Scope::kGpu},
           {"fence.cta", Order::kAcqRel, Scope::kCta},
           {"fence.acquire.gpu", Order::kAcquire, Scope::kGpu},
           {"fence.release.sys", Order::kRelease, Scope::kSys},
           {"fence.acq_rel.gpu", Order::kAcqRel, Scope::kGpu},
           {"fence.sc.cluster", Order::kSc, Scope::kCluster},
           {"fence.sc.sys", Order::kSc, Scope::kSys},
           {"membar.cta", Order::kSc, Scope::kCta},
           {"membar.gl", Order::kSc, Scope::kGpu},
           {"membar.sys", Order::kSc, Scope::kSys},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.order, order) << spelling;
    EXPECT_EQ(instruction.scope, scope) << spelling;
  }
}

TEST(GrammarMemory, CacheOperatorsAndHintsAreAdviceButForAPolicy) {
  for (const std::string_view spelling :
       {"ld.global.ca.u32", "ld.global.cg.u32", "ld.global.cs.u32", "ld.global.lu.u32",
        "ld.global.cv.u32", "st.global.wb.u32", "st.global.cg.u32", "st.global.cs.u32",
        "st.global.wt.u32", "ld.global.nc.L1::evict_last.u32", "ld.global.L1::no_allocate.u32",
        "ld.global.L2::64B.u32", "ld.global.nc.L1::evict_first.L2::256B.v4.f32",
        "st.global.L1::evict_unchanged.u32", "ld.global.L2::evict_last.L2::128B.u32"}) {
    EXPECT_EQ(ReasonOf(spelling), "") << spelling;
    EXPECT_FALSE(DecodeSpelling(spelling).has_cache_policy) << spelling;
  }
  for (const std::string_view spelling :
       {"ld.global.L2::cache_hint.u32", "st.global.L2::cache_hint.v4.f32",
        "atom.global.add.L2::cache_hint.u32", "red.global.L2::cache_hint.add.u32",
        "cp.async.cg.shared.global.L2::cache_hint.L2::128B"}) {
    EXPECT_EQ(ReasonOf(spelling), "") << spelling;
    EXPECT_TRUE(DecodeSpelling(spelling).has_cache_policy) << spelling;
  }
  EXPECT_TRUE(DecodeSpelling("ld.global.nc.f32").non_coherent);
  EXPECT_FALSE(DecodeSpelling("ld.global.f32").non_coherent);
  EXPECT_EQ(ReasonOf("st.global.nc.f32"), "modifier .nc");
}

TEST(GrammarMemory, AddressesAndPrefetches) {
  const Instruction to = DecodeSpelling("cvta.to.shared.u64");
  EXPECT_TRUE(to.to);
  EXPECT_EQ(to.space, Space::kShared);
  EXPECT_EQ(DecodeSpelling("cvta.local.u64").space, Space::kLocal);
  EXPECT_EQ(DecodeSpelling("isspacep.const").space, Space::kConst);
  EXPECT_EQ(DecodeSpelling("isspacep.shared::cluster").space, Space::kShared);
  EXPECT_EQ(DecodeSpelling("prefetch.global.L1").mode, Mode::kL1);
  EXPECT_EQ(DecodeSpelling("prefetch.global.L2::evict_last").mode, Mode::kL2);
  EXPECT_EQ(DecodeSpelling("prefetchu.L1").opcode, Opcode::kPrefetch);
  EXPECT_EQ(ReasonOf("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64"), "");
  EXPECT_EQ(ReasonOf("applypriority.global.L2::evict_normal"), "");
}

TEST(GrammarMemory, AsynchronousCopies) {
  struct Case {
    std::string_view spelling;
    Mode mode;
    bool cache_all;
    Space to_space;
  };
  for (const auto& [spelling, mode, cache_all, to_space] : std::to_array<Case>({
           {"cp.async.ca.shared.global", Mode::kNone, true, Space::kShared},
           {"cp.async.cg.shared::cta.global", Mode::kNone, false, Space::kShared},
           {"cp.async.ca.shared.global.L2::256B", Mode::kNone, true, Space::kShared},
           {"cp.async.commit_group", Mode::kCommitGroup, false, Space::kGeneric},
           {"cp.async.wait_group", Mode::kWaitGroup, false, Space::kGeneric},
           {"cp.async.wait_all", Mode::kWaitAll, false, Space::kGeneric},
           {"cp.async.mbarrier.arrive.b64", Mode::kMbarrierArrive, false, Space::kGeneric},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.opcode, Opcode::kCpAsync) << spelling;
    EXPECT_EQ(instruction.mode, mode) << spelling;
    EXPECT_EQ(instruction.cache_all, cache_all) << spelling;
    EXPECT_EQ(instruction.to_space, to_space) << spelling;
  }
  EXPECT_FALSE(DecodeSpelling("cp.async.mbarrier.arrive.shared.b64").no_return);
  EXPECT_TRUE(DecodeSpelling("cp.async.mbarrier.arrive.noinc.shared::cta.b64").no_return);
}

TEST(GrammarMemory, BulkCopies) {
  struct Case {
    std::string_view spelling;
    Mode mode;
    Space space;
    Space to_space;
  };
  for (const auto& [spelling, mode, space, to_space] : std::to_array<Case>({
           {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
            Mode::kMbarrierArrive, Space::kGlobal, Space::kShared},
           {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint",
            Mode::kMbarrierArrive, Space::kGlobal, Space::kShared},
           {"cp.async.bulk.global.shared::cta.bulk_group", Mode::kNone, Space::kShared,
            Space::kGlobal},
           {"cp.async.bulk.prefetch.L2.global", Mode::kL2, Space::kGlobal, Space::kGeneric},
           {"cp.async.bulk.commit_group", Mode::kCommitGroup, Space::kGeneric, Space::kGeneric},
           {"cp.async.bulk.wait_group", Mode::kWaitGroup, Space::kGeneric, Space::kGeneric},
           {"cp.async.bulk.wait_group.read", Mode::kWaitGroup, Space::kGeneric, Space::kGeneric},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.opcode, Opcode::kCpAsyncBulk) << spelling;
    EXPECT_EQ(instruction.mode, mode) << spelling;
    EXPECT_EQ(instruction.space, space) << spelling;
    EXPECT_EQ(instruction.to_space, to_space) << spelling;
  }
}

TEST(GrammarMemory, RefusedSpellingsNameTheirWord) {
  struct Case {
    std::string_view spelling;
    std::string_view reason;
  };
  constexpr std::string_view kCombination = "combination of modifiers";
  for (const auto& [spelling, reason] : std::to_array<Case>({
           {"ld.globl.u32", "modifier .globl"},
           {"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group", "modifier .tensor"},
           {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
            "modifier .multicast::cluster"},
           {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
            "modifier .shared::cluster"},
           {"cp.async.bulk.global.shared::cta", "modifier .shared::cta"},
           {"cp.async.bulk.global.bulk_group", kCombination},
           {"cp.async.bulk.wait_all", "modifier .wait_all"},
           {"cp.async.bulk.commit_group.read", "modifier .read"},
           {"ld.global.shared.u32", "modifier .shared"},
           {"ld.global.v3.f32", "modifier .v3"},
           {"ld.global.v2.v4.f32", "modifier .v4"},
           {"ld.relaxed.acquire.gpu.u32", "modifier .acquire"},
           {"ld.relaxed.gpu.sys.u32", "modifier .sys"},
           {"ld.global.add.u32", "modifier .add"},
           {"ld.global.ftz.f32", "modifier .ftz"},
           {"ld.global.sync.u32", "modifier .sync"},
           {"ldu.relaxed.gpu.global.u32", "modifier .relaxed"},
           {"ld.global", kCombination},
           {"ld.global.pred", "type .pred"},
           {"ld.global.tf32", "type .tf32"},
           {"st.global.u32.u32", kCombination},
           {"st.async.global.u32", "modifier .async"},
           {"atom.global.u32", kCombination},
           {"atom.add", kCombination},
           {"atom.add.u8", "type .u8"},
           {"atom.add.min.u32", "modifier .min"},
           {"atom.add.sat.u32", "modifier .sat"},
           {"red.async.add.u32", "modifier .async"},
           {"cvta.u64", kCombination},
           {"cvta.global.s64", "type .s64"},
           {"cvta.to.to.global.u64", "modifier .to"},
           {"isspacep", kCombination},
           {"isspacep.texture", "modifier .texture"},
           {"membar", kCombination},
           {"membar.gpu", "modifier .gpu"},
           {"fence.relaxed.gpu", "modifier .relaxed"},
           {"fence.gl", "modifier .gl"},
           {"fence.proxy.tensormap", "modifier .tensormap"},
           {"prefetch.global.L3", "modifier .L3"},
           {"cp.async", kCombination},
           {"cp.async.ca", kCombination},
           {"cp.async.shared.global", kCombination},
           {"cp.async.ca.shared", kCombination},
           {"cp.async.ca.shared::cluster.global", "modifier .shared::cluster"},
           {"cp.async.mbarrier.b64", kCombination},
           {"cp.reduce.async", "modifier .reduce"},
           {"mbarrier.b64", kCombination},
           {"mbarrier.arrive.shared.b32", "type .b32"},
           {"mbarrier.arrive", kCombination},
           {"mbarrier.init.inval.b64", "modifier .inval"},
           {"mbarrier.arrive.sc.cta.b64", "modifier .sc"},
           {"griddepcontrol", kCombination},
           {"griddepcontrol.wait.launch_dependents", "modifier .launch_dependents"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), reason) << spelling;
  }
}

TEST(GrammarMemory, AccessesThatPtxDoesNotHaveAreRefusedByTheirWord) {
  struct Case {
    std::string_view spelling;
    std::string_view word;
  };
  for (const auto& [spelling, word] : std::to_array<Case>({
           // An order has a scope, and what is weak or volatile has none.
           {"ld.relaxed.u32", "relaxed"},
           {"ld.acquire.global.u32", "acquire"},
           {"st.release.u32", "release"},
           {"ld.volatile.gpu.u32", "volatile"},
           {"st.weak.sys.u32", "weak"},
           {"ld.release.gpu.u32", "release"},
           {"ld.acq_rel.gpu.u32", "acq_rel"},
           {"ld.sc.gpu.u32", "sc"},
           {"st.acquire.gpu.u32", "acquire"},
           {"st.sc.sys.u32", "sc"},
           {"ld.mmio.relaxed.u32", "relaxed"},
           // Where they go and what caches they name.
           {"st.const.u32", "const"},
           {"st.param::entry.u32", "param::entry"},
           {"ld.wb.u32", "wb"},
           {"ld.global.wt.u32", "wt"},
           {"ld.ca.cg.u32", "cg"},
           {"st.ca.u32", "ca"},
           {"st.global.lu.u32", "lu"},
           {"st.cv.u32", "cv"},
           {"ldu.shared.u32", "shared"},
           {"ld.nc.u32", "nc"},
           {"ld.shared.nc.u32", "nc"},
           {"ld.volatile.global.nc.u32", "nc"},
           {"ld.global.L1::evict_never.u32", "L1::evict_never"},
           {"ld.global.L2::512B.u32", "L2::512B"},
           {"prefetchu.L2", "L2"},
           {"prefetchu.global.L1", "global"},
           {"prefetch.shared.L1", "shared"},
           {"prefetch.local.L2::evict_last", "L2::evict_last"},
           {"prefetch.global.L2.L2::evict_last", "L2::evict_last"},
           {"discard.global.L1", "L1"},
           {"discard.shared.L2", "shared"},
           {"applypriority.global.L2::evict_last", "L2::evict_last"},
           {"createpolicy.fractional.global.L2::evict_last.b64", "global"},
           {"createpolicy.L2::evict_last.b64", "L2::evict_last"},
           {"createpolicy.cvt.L2::evict_last.b64", "L2::evict_last"},
           {"createpolicy.range.global.L2::evict_last.L2::evict_normal.b64", "L2::evict_normal"},
           {"cp.async.ca.cg.shared.global", "cg"},
           {"cp.async.wait_all.L2::128B", "L2::128B"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), "modifier ." + std::string(word)) << spelling;
  }
  for (const std::string_view spelling :
       {"ld.gpu.u32", "st.cta.global.u32", "ld.mmio.u32", "ld.mmio.relaxed.gpu.u32", "discard",
        "discard.global", "prefetch", "prefetch.global", "prefetchu", "applypriority.global",
        "createpolicy.b64", "createpolicy.fractional.b64", "createpolicy.cvt.b64",
        "cp.async.ca.shared.global.b64", "cp.async.wait_all.b64",
        "cp.async.mbarrier.arrive.shared"}) {
    EXPECT_EQ(ReasonOf(spelling), "combination of modifiers") << spelling;
  }
}

TEST(GrammarMemory, CachePoliciesAndDiscards) {
  EXPECT_EQ(ReasonOf("createpolicy.fractional.L2::evict_first.b64"), "");
  EXPECT_EQ(ReasonOf("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64"), "");
  EXPECT_EQ(DecodeSpelling("createpolicy.range.L2::evict_normal.b64").space, Space::kGeneric);
  EXPECT_EQ(ReasonOf("createpolicy.cvt.L2.b64"), "");
  EXPECT_EQ(DecodeSpelling("discard.global.L2").space, Space::kGlobal);
  EXPECT_EQ(ReasonOf("discard.L2"), "");
  EXPECT_EQ(One("discard.global.L2 [%rd1], 128;").opcode, Opcode::kDiscard);
  EXPECT_EQ(One("discard.global.L2 [%rd1];").reason, "number of operands, 1");
}

TEST(GrammarMemory, WhatIsRefusedKeepsItsLineAndTheRestOfTheKernel) {
  const Function kernel = Kernel("exit;\n\nld.global.v3.f32 %f1, [%rd1];\nret;");
  ASSERT_EQ(kernel.instructions.size(), 3U);
  EXPECT_EQ(kernel.instructions[1].opcode, Opcode::kUnsupported);
  EXPECT_EQ(kernel.instructions[1].spelling, "ld.global.v3.f32");
  EXPECT_EQ(kernel.instructions[1].reason, "modifier .v3");
  EXPECT_EQ(kernel.instructions[1].ptx_line, 7U);
  EXPECT_TRUE(kernel.instructions[1].operands.empty());
  EXPECT_EQ(kernel.instructions[2].opcode, Opcode::kRet);
}

}  // namespace
}  // namespace assay::gpu::ptx
