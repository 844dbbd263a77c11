// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/spelling.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::gpu::ptx {
namespace {

TEST(Spelling, TypesHaveTheirNamesAndSizes) {
  EXPECT_EQ(FindType("u32"), Type::kU32);
  EXPECT_EQ(FindType("e5m2x2"), Type::kE5m2x2);
  EXPECT_EQ(FindType("u33"), std::nullopt);
  EXPECT_EQ(SizeOf(Type::kB128), 16U);
  EXPECT_EQ(SizeOf(Type::kBf16x2), 4U);
  EXPECT_EQ(SizeOf(Type::kPred), 0U);
  EXPECT_TRUE(IsFloat(Type::kTf32));
  EXPECT_FALSE(IsFloat(Type::kU16x2));
  EXPECT_TRUE(IsSigned(Type::kS16x2));
  EXPECT_FALSE(IsSigned(Type::kB32));
  EXPECT_EQ(ToString(Opcode::kStackrestore), "stackrestore");
  EXPECT_EQ(ToString(Opcode::kAbs), "abs");
}

TEST(Spelling, LoadsAndStores) {
  const Instruction load = DecodeSpelling("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32");
  EXPECT_EQ(load.opcode, Opcode::kLd);
  EXPECT_EQ(load.space, Space::kGlobal);
  EXPECT_EQ(load.vector, 4);
  EXPECT_EQ(load.type, Type::kF32);
  EXPECT_TRUE(load.non_coherent);
  EXPECT_TRUE(load.has_cache_policy);
  EXPECT_EQ(load.order, Order::kWeak);
  const Instruction acquire = DecodeSpelling("ld.acquire.gpu.b32");
  EXPECT_EQ(acquire.order, Order::kAcquire);
  EXPECT_EQ(acquire.scope, Scope::kGpu);
  EXPECT_EQ(acquire.space, Space::kGeneric);
  EXPECT_EQ(DecodeSpelling("st.volatile.shared.u32").order, Order::kVolatile);
  EXPECT_EQ(DecodeSpelling("ld.mmio.relaxed.sys.global.u32").order, Order::kRelaxed);
  EXPECT_EQ(DecodeSpelling("ld.param::func.u64").space, Space::kParam);
  EXPECT_EQ(DecodeSpelling("ld.global.v8.b32").vector, 8);
  EXPECT_EQ(DecodeSpelling("ld.global.v8.b64").opcode, Opcode::kUnsupported);
}

TEST(Spelling, Arithmetic) {
  const Instruction multiply = DecodeSpelling("mad.lo.cc.u32");
  EXPECT_EQ(multiply.mode, Mode::kLo);
  EXPECT_TRUE(multiply.carry_out);
  const Instruction fma = DecodeSpelling("fma.rm.ftz.sat.f32");
  EXPECT_EQ(fma.rounding, Rounding::kRm);
  EXPECT_TRUE(fma.flush_to_zero);
  EXPECT_TRUE(fma.saturate);
  EXPECT_TRUE(DecodeSpelling("fma.rn.relu.bf16x2").relu);
  EXPECT_TRUE(DecodeSpelling("min.NaN.f16x2").nan_propagates);
  EXPECT_TRUE(DecodeSpelling("ex2.approx.ftz.f32").approximate);
  EXPECT_EQ(DecodeSpelling("div.full.f32").mode, Mode::kFull);
  EXPECT_EQ(DecodeSpelling("shf.r.wrap.b32").mode, Mode::kRightWrap);
  EXPECT_EQ(DecodeSpelling("bfind.shiftamt.u32").mode, Mode::kShiftAmount);
  EXPECT_EQ(DecodeSpelling("prmt.b32.f4e").mode, Mode::kF4e);
  EXPECT_EQ(DecodeSpelling("dp2a.hi.u32.s32").source_type, Type::kS32);
  EXPECT_EQ(DecodeSpelling("testp.subnormal.f64").mode, Mode::kSubnormal);
  EXPECT_TRUE(DecodeSpelling("max.s16x2.relu").relu);
}

TEST(Spelling, ConversionsAndComparisons) {
  const Instruction convert = DecodeSpelling("cvt.rn.satfinite.relu.e4m3x2.f32");
  EXPECT_EQ(convert.type, Type::kE4m3x2);
  EXPECT_EQ(convert.source_type, Type::kF32);
  EXPECT_TRUE(convert.saturate);
  EXPECT_TRUE(convert.relu);
  EXPECT_EQ(DecodeSpelling("cvt.rna.tf32.f32").rounding, Rounding::kRna);
  EXPECT_EQ(DecodeSpelling("cvt.rzi.s32.f64").rounding, Rounding::kRzi);
  const Instruction compare = DecodeSpelling("setp.ltu.and.ftz.f32");
  EXPECT_EQ(compare.compare, Compare::kLtu);
  EXPECT_EQ(compare.bool_op, BoolOp::kAnd);
  const Instruction set = DecodeSpelling("set.hs.xor.u32.s32");
  EXPECT_EQ(set.type, Type::kU32);
  EXPECT_EQ(set.source_type, Type::kS32);
  EXPECT_EQ(set.bool_op, BoolOp::kXor);
  EXPECT_TRUE(DecodeSpelling("cvta.to.global.u64").to);
  EXPECT_FALSE(DecodeSpelling("cvta.shared.u64").to);
}

TEST(Spelling, AtomicsAndFences) {
  const Instruction atom = DecodeSpelling("atom.add.noftz.f16x2");
  EXPECT_EQ(atom.atomic_op, AtomicOp::kAdd);
  EXPECT_EQ(atom.order, Order::kRelaxed);
  EXPECT_EQ(atom.scope, Scope::kGpu);
  const Instruction cas = DecodeSpelling("atom.acq_rel.sys.shared::cta.cas.b64");
  EXPECT_EQ(cas.order, Order::kAcqRel);
  EXPECT_EQ(cas.scope, Scope::kSys);
  EXPECT_EQ(cas.space, Space::kShared);
  EXPECT_EQ(DecodeSpelling("red.global.add.v4.f32").vector, 4);
  EXPECT_EQ(DecodeSpelling("membar.gl").scope, Scope::kGpu);
  EXPECT_EQ(DecodeSpelling("membar.gl").order, Order::kSc);
  EXPECT_EQ(DecodeSpelling("fence.acq_rel.cta").order, Order::kAcqRel);
  EXPECT_EQ(DecodeSpelling("fence.sc.gpu").order, Order::kSc);
  EXPECT_EQ(DecodeSpelling("fence.proxy.async").mode, Mode::kProxy);
}

TEST(Spelling, WarpsAndBlocks) {
  EXPECT_EQ(DecodeSpelling("shfl.sync.bfly.b32").mode, Mode::kBfly);
  EXPECT_EQ(DecodeSpelling("vote.ballot.sync.b32").mode, Mode::kBallot);
  EXPECT_EQ(DecodeSpelling("match.all.sync.b64").mode, Mode::kAll);
  EXPECT_EQ(DecodeSpelling("redux.sync.max.s32").atomic_op, AtomicOp::kMax);
  EXPECT_EQ(DecodeSpelling("bar.warp.sync").opcode, Opcode::kBarWarp);
  EXPECT_TRUE(DecodeSpelling("bar.sync").aligned);
  EXPECT_FALSE(DecodeSpelling("barrier.sync").aligned);
  EXPECT_TRUE(DecodeSpelling("barrier.cta.arrive.aligned").aligned);
  EXPECT_EQ(DecodeSpelling("bar.red.popc.u32").mode, Mode::kRedPopc);
  EXPECT_EQ(DecodeSpelling("bar.red.or.pred").mode, Mode::kRedOr);
  EXPECT_EQ(DecodeSpelling("griddepcontrol.launch_dependents").mode, Mode::kLaunchDependents);
}

TEST(Spelling, AsynchronousCopies) {
  const Instruction copy = DecodeSpelling("cp.async.ca.shared.global.L2::128B");
  EXPECT_EQ(copy.opcode, Opcode::kCpAsync);
  EXPECT_TRUE(copy.cache_all);
  EXPECT_EQ(copy.to_space, Space::kShared);
  EXPECT_EQ(copy.space, Space::kGlobal);
  EXPECT_EQ(DecodeSpelling("cp.async.wait_group").mode, Mode::kWaitGroup);
  EXPECT_TRUE(DecodeSpelling("cp.async.mbarrier.arrive.noinc.shared.b64").no_return);
  const Instruction wait = DecodeSpelling("mbarrier.try_wait.parity.acquire.cta.shared::cta.b64");
  EXPECT_EQ(wait.mode, Mode::kTryWait);
  EXPECT_TRUE(wait.parity);
  EXPECT_EQ(wait.order, Order::kAcquire);
  const Instruction arrive = DecodeSpelling("mbarrier.arrive.expect_tx.shared.b64");
  EXPECT_EQ(arrive.mode, Mode::kArrive);
  EXPECT_TRUE(arrive.expect_tx);
  EXPECT_EQ(arrive.order, Order::kRelease);
  EXPECT_EQ(DecodeSpelling("mbarrier.expect_tx.relaxed.cta.shared::cta.b64").mode, Mode::kExpectTx);
}

TEST(Spelling, Matrices) {
  const Instruction load = DecodeSpelling("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16");
  EXPECT_EQ(load.count, 4);
  EXPECT_TRUE(load.transposed);
  EXPECT_EQ(load.m, 8);
  EXPECT_EQ(load.n, 8);
  const Instruction mma =
      DecodeSpelling("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32");
  EXPECT_EQ(mma.k, 32);
  EXPECT_EQ(mma.type, Type::kS32);
  EXPECT_EQ(mma.source_type, Type::kS8);
  EXPECT_EQ(mma.third_type, Type::kU8);
  EXPECT_EQ(mma.fourth_type, Type::kS32);
  EXPECT_TRUE(mma.saturate);
  const Instruction halves = DecodeSpelling("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f16");
  EXPECT_EQ(halves.type, Type::kF32);
  EXPECT_EQ(halves.source_type, Type::kF16);
  EXPECT_EQ(halves.fourth_type, Type::kF16);
  EXPECT_TRUE(halves.row_b);
  const Instruction store = DecodeSpelling("wmma.store.d.sync.aligned.col.m16n16k16.global.f32");
  EXPECT_EQ(store.matrix_part, MatrixPart::kD);
  EXPECT_FALSE(store.row_c);
  EXPECT_EQ(DecodeSpelling("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc").bool_op,
            BoolOp::kAnd);
}

TEST(Spelling, UnknownOnesAreUnsupportedAndSayWhy) {
  const auto reason = [](std::string_view spelling) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.opcode, Opcode::kUnsupported) << spelling;
    EXPECT_EQ(instruction.spelling, spelling);
    return instruction.reason;
  };
  EXPECT_EQ(reason("wgmma.fence.sync.aligned"), "opcode wgmma");
  EXPECT_EQ(reason("tex.2d.v4.f32.f32"), "opcode tex");
  EXPECT_EQ(reason("barrier.cluster.arrive"), "modifier .cluster");
  EXPECT_EQ(reason("add.f33"), "modifier .f33");
  EXPECT_EQ(reason("add"), "combination of modifiers");
  EXPECT_EQ(reason("add.u32.u32"), "combination of modifiers");
  EXPECT_EQ(reason("add.pred"), "type .pred");
  EXPECT_EQ(reason("mul.s32"), "combination of modifiers");
  EXPECT_EQ(reason("mul.lo.f32"), "modifier .lo");
  EXPECT_EQ(reason("div.f32"), "combination of modifiers");
  EXPECT_EQ(reason("shfl.bfly.b32"), "combination of modifiers");
  EXPECT_EQ(reason("setp.s32"), "combination of modifiers");
  EXPECT_EQ(reason("mma.sync.aligned.m16n8k17.row.col.f32.f16.f16.f32"),
            "shape, types or layout of matrices");
  EXPECT_EQ(reason("mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32"),
            "shape, types or layout of matrices");
  EXPECT_EQ(reason("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.f16.s32"),
            "shape, types or layout of matrices");
  std::string long_one = "add";
  for (int i = 0; i < 40; ++i) {
    long_one += ".u32";
  }
  EXPECT_EQ(reason(long_one), "number of modifiers");
}

}  // namespace
}  // namespace assay::gpu::ptx
