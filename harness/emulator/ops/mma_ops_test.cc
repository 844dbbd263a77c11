// SPDX-License-Identifier: Apache-2.0
// mma.sync against matrices multiplied one by one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/ops/matrix_rig.h"

namespace assay::gpu {
namespace {

class MmaOpsTest : public MatrixOpsTest {
 protected:
  void CheckMma(const std::string& shape, unsigned m, unsigned k, const std::string& d_format,
                const std::string& a_format, const std::string& b_format,
                const std::string& suffix = "");
};

ASSAY_IN_EVERY_VARIANT(MmaOpsTest);

void MmaOpsTest::CheckMma(const std::string& shape, unsigned m, unsigned k,
                          const std::string& d_format, const std::string& a_format,
                          const std::string& b_format, const std::string& suffix) {
  const std::string spelling = "mma.sync.aligned." + shape + ".row.col." + d_format + "." +
                               a_format + "." + b_format + "." + d_format + suffix;
  SCOPED_TRACE(spelling);
  const unsigned bits = BitsOf(a_format);
  const unsigned d_bits = BitsOf(d_format);
  Matrix a = RandomMatrix(a_format, m, k);
  Matrix b = RandomMatrix(b_format, k, 8);
  Matrix c = RandomMatrix(d_format, m, 8);
  if (!suffix.empty()) {
    for (auto& each : c.bits) {
      each = (each & 1U) != 0 ? 0x7fffff00U : 0x80000100U;
    }
  }
  const auto fragment_a = Fragment(
      a, bits, m * k / 32, [&](unsigned lane, unsigned i) { return PlaceOfA(bits, m, lane, i); });
  const auto fragment_b = Fragment(
      b, bits, k * 8 / 32, [&](unsigned lane, unsigned i) { return PlaceOfB(bits, lane, i); });
  const auto fragment_c = Fragment(c, d_bits, m * 8 / 32, PlaceOfC);
  std::vector<std::uint32_t> fragment_d;
  for (std::size_t i = 0; i < fragment_c.size(); ++i) {
    fragment_d.push_back(rig_.New(8));
  }
  const ptx::Type type = bits == 64 ? ptx::Type::kF64 : ptx::Type::kB32;
  const auto step = rig_.Assemble(spelling, {Vec(fragment_d, type), Vec(fragment_a, type),
                                             Vec(fragment_b, type), Vec(fragment_c, type)});
  ASSERT_NE(step.handlers.full, nullptr);
  for (const Form form : {Form::kFullIfAll, Form::kMasked}) {
    for (const std::uint32_t place : fragment_d) {
      rig_.Set(place, PerLane<std::uint64_t>{});
    }
    ASSERT_TRUE(rig_.Run(step, form));
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      for (unsigned i = 0; i < m * 8 / 32; ++i) {
        const Place at = PlaceOfC(lane, i);
        double sum = ValueOf(d_format, c.At(at.row, at.column));
        double magnitude = std::abs(sum);
        for (unsigned step_k = 0; step_k < k; ++step_k) {
          const double product =
              ValueOf(a_format, a.At(at.row, step_k)) * ValueOf(b_format, b.At(step_k, at.column));
          sum += product;
          magnitude += std::abs(product);
        }
        const double got = ValueOf(d_format, ReadElement(fragment_d, d_bits, lane, i));
        if (d_format == "s32") {
          EXPECT_EQ(static_cast<std::int64_t>(got),
                    Saturate(static_cast<std::int64_t>(sum), !suffix.empty()));
        } else {
          const double unit = d_format == "f16" ? 0x1p-11 : d_format == "f32" ? 0x1p-24 : 0x1p-52;
          ASSERT_NEAR(got, sum, (k + 1) * unit * magnitude) << at.row << "," << at.column;
        }
      }
    }
  }
}

TEST_P(MmaOpsTest, FloatShapesMultiplyAsDocumented) {
  for (int round = 0; round < 4; ++round) {
    CheckMma("m16n8k8", 16, 8, "f32", "f16", "f16");
    CheckMma("m16n8k16", 16, 16, "f32", "f16", "f16");
    CheckMma("m16n8k8", 16, 8, "f16", "f16", "f16");
    CheckMma("m16n8k16", 16, 16, "f16", "f16", "f16");
    CheckMma("m16n8k8", 16, 8, "f32", "bf16", "bf16");
    CheckMma("m16n8k16", 16, 16, "f32", "bf16", "bf16");
    CheckMma("m16n8k4", 16, 4, "f32", "tf32", "tf32");
    CheckMma("m16n8k8", 16, 8, "f32", "tf32", "tf32");
    CheckMma("m8n8k4", 8, 4, "f64", "f64", "f64");
    CheckMma("m16n8k4", 16, 4, "f64", "f64", "f64");
    CheckMma("m16n8k8", 16, 8, "f64", "f64", "f64");
    CheckMma("m16n8k16", 16, 16, "f64", "f64", "f64");
  }
}

TEST_P(MmaOpsTest, IntegerShapesMultiplyExactly) {
  for (const std::string a : {"s8", "u8"}) {
    for (const std::string b : {"s8", "u8"}) {
      for (const std::string suffix : {"", ".satfinite"}) {
        CheckMma("m8n8k16", 8, 16, "s32", a, b, suffix);
        CheckMma("m16n8k16", 16, 16, "s32", a, b, suffix);
        CheckMma("m16n8k32", 16, 32, "s32", a, b, suffix);
      }
    }
  }
  for (const std::string a : {"s4", "u4"}) {
    for (const std::string b : {"s4", "u4"}) {
      CheckMma("m8n8k32", 8, 32, "s32", a, b);
      CheckMma("m16n8k32", 16, 32, "s32", a, b);
      CheckMma("m16n8k64", 16, 64, "s32", a, b, ".satfinite");
    }
  }
}

// One fused multiply-add a k, ascending from C: every bit is determined.
TEST_P(MmaOpsTest, TheOrderOfAdditionIsTheStatedOne) {
  Matrix a = RandomMatrix("f16", 16, 16);
  Matrix b = RandomMatrix("f16", 16, 8);
  Matrix c = RandomMatrix("f32", 16, 8);
  const auto fa = Fragment(a, 16, 8, [](unsigned l, unsigned i) { return PlaceOfA(16, 16, l, i); });
  const auto fb = Fragment(b, 16, 4, [](unsigned l, unsigned i) { return PlaceOfB(16, l, i); });
  const auto fc = Fragment(c, 32, 4, PlaceOfC);
  // D over C: the usual accumulation in place.
  ASSERT_TRUE(rig_.Do("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                      {Vec(fc), Vec(fa), Vec(fb), Vec(fc)}));
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const Place at = PlaceOfC(lane, i);
      float sum = static_cast<float>(ValueOf("f32", c.At(at.row, at.column)));
      for (unsigned k = 0; k < 16; ++k) {
        sum = std::fma(
            static_cast<float>(HalfValue(static_cast<std::uint32_t>(a.At(at.row, k)))),
            static_cast<float>(HalfValue(static_cast<std::uint32_t>(b.At(k, at.column)))), sum);
      }
      EXPECT_EQ(ReadElement(fc, 32, lane, i), std::bit_cast<std::uint32_t>(sum));
    }
  }
}

TEST_P(MmaOpsTest, NotANumberIsCanonicalAndInfinityStays) {
  Matrix a = Matrix::Of(16, 16);
  Matrix b = Matrix::Of(16, 8);
  Matrix c = Matrix::Of(16, 8);
  a.At(0, 3) = 0x7c00;   // inf
  b.At(3, 0) = 0x3c00;   // 1: inf in column 0
  b.At(3, 1) = 0;        // inf * 0: NaN in column 1
  a.At(9, 15) = 0xfe01;  // NaN with a payload and sign
  const auto fa = Fragment(a, 16, 8, [](unsigned l, unsigned i) { return PlaceOfA(16, 16, l, i); });
  const auto fb = Fragment(b, 16, 4, [](unsigned l, unsigned i) { return PlaceOfB(16, l, i); });
  const auto fc = Fragment(c, 32, 4, PlaceOfC);
  const auto hc = Fragment(c, 16, 4, PlaceOfC);
  ASSERT_TRUE(rig_.Do("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                      {Vec(fc), Vec(fa), Vec(fb), Vec(fc)}));
  ASSERT_TRUE(rig_.Do("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                      {Vec(hc), Vec(fa), Vec(fb), Vec(hc)}));
  EXPECT_EQ(ReadElement(fc, 32, 0, 0), 0x7f800000U);
  EXPECT_EQ(ReadElement(fc, 32, 0, 1), 0x7fffffffU);
  EXPECT_EQ(ReadElement(fc, 32, 4, 2), 0x7fffffffU) << "row 9";
  EXPECT_EQ(ReadElement(hc, 16, 0, 0), 0x7c00U);
  EXPECT_EQ(ReadElement(hc, 16, 0, 1), 0x7fffU);
  EXPECT_EQ(ReadElement(hc, 16, 4, 2), 0x7fffU);
}

// f16 results of all magnitudes: C alone passes through f32 and back.
TEST_P(MmaOpsTest, EveryHalfSurvivesItsWayThroughF32) {
  const PerLane<std::uint32_t> zero{};
  const std::uint32_t z = rig_.Put(zero);
  const std::uint32_t d0 = rig_.New();
  const std::uint32_t d1 = rig_.New();
  const std::uint32_t c0 = rig_.New();
  const std::uint32_t c1 = rig_.New();
  const auto step = rig_.Assemble("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
                                  {Vec({d0, d1}), Vec({z, z}), Vec({z}), Vec({c0, c1})});
  for (std::uint32_t base = 0; base < 0x10000; base += 64) {
    PerLane<std::uint32_t> pairs;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      pairs[lane] = (base + 2 * lane) | (base + 2 * lane + 1) << 16U;
    }
    rig_.Set(c0, pairs);
    rig_.Set(c1, pairs);
    ASSERT_TRUE(rig_.Run(step));
    const auto got = rig_.Get<std::uint32_t>(d1);
    for (std::uint32_t i = 0; i < 64; ++i) {
      std::uint32_t expected = base + i;
      if ((expected & 0x7fffU) > 0x7c00U) {
        expected = 0x7fff;
      }
      if (expected == 0x8000) {
        expected = 0;  // -0 + 0 * 0
      }
      ASSERT_EQ((got[i / 2] >> (16 * (i % 2))) & 0xffffU, expected);
    }
  }
}

TEST_P(MmaOpsTest, TensorInstructionsWaitForTheWholeWarp) {
  const std::uint32_t r = rig_.PutAll(7U);
  const auto step = rig_.Assemble("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
                                  {Vec({r, r, r, r}), Vec({r, r}), Vec({r}), Vec({r, r, r, r})});
  rig_.warp.active = 0xffff;
  EXPECT_FALSE(rig_.Run(step));
  EXPECT_EQ(rig_.waits_for, kAllLanes);
  EXPECT_EQ(rig_.Get<std::uint32_t>(r)[0], 7U);
  rig_.warp.stop = Stop::kNone;
  rig_.warp.existing = 0xffff;
  EXPECT_TRUE(rig_.Run(step));
  ASSERT_EQ(rig_.reports.size(), 1U);
  EXPECT_EQ(rig_.reports[0].kind, FindingKind::kInvalidMask);
  EXPECT_EQ(rig_.Get<std::uint32_t>(r)[16], 7U) << "of a lane that does not exist";
}

TEST_P(MmaOpsTest, WhatIsNotSupportedHasNoHandlers) {
  const std::uint32_t r = rig_.PutAll(7U);
  const auto handlers = [&](const char* spelling, std::size_t d, std::size_t a, std::size_t b) {
    const auto vector = [&](std::size_t count) {
      return Vec(std::vector<std::uint32_t>(count, r));
    };
    return rig_.Assemble(spelling, {vector(d), vector(a), vector(b), vector(d)}).handlers.full;
  };
  EXPECT_EQ(handlers("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 2, 2), nullptr);
  EXPECT_EQ(handlers("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2), nullptr);
  EXPECT_EQ(handlers("mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32", 4, 2, 1), nullptr);
  EXPECT_EQ(handlers("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 4, 8), nullptr);
}

}  // namespace
}  // namespace assay::gpu
