// SPDX-License-Identifier: Apache-2.0
// mma.sync, wmma, ldmatrix, stmatrix, movmatrix against matrices laid out by the tables of "PTX
// ISA" (written here from the formulas for row and column) and multiplied one by one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "emulator/ops/warp_rig.h"

namespace assay::gpu {
namespace {

using Form = WarpRig::Form;
using ptx::Type;

struct Format {
  std::string_view name;
  unsigned bits = 0;
};

double HalfValue(std::uint32_t half) {
  const double sign = (half & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>((half >> 10U) & 31U);
  const double fraction = static_cast<double>(half & 0x3ffU);
  if (exponent == 31) {
    return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  }
  if (exponent == 0) {
    return sign * std::ldexp(fraction, -24);
  }
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// Of an element's bits.
double ValueOf(std::string_view format, std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  if (format == "f16") {
    return HalfValue(low);
  }
  if (format == "bf16") {
    return double{std::bit_cast<float>(low << 16U)};
  }
  if (format == "tf32") {
    return double{std::bit_cast<float>(low & 0xffffe000U)};
  }
  if (format == "f32") {
    return double{std::bit_cast<float>(low)};
  }
  if (format == "f64") {
    return std::bit_cast<double>(bits);
  }
  if (format == "s8") {
    return static_cast<std::int8_t>(low);
  }
  if (format == "u8") {
    return static_cast<std::uint8_t>(low);
  }
  if (format == "s4") {
    return static_cast<double>(static_cast<std::int8_t>(low << 4U) >> 4);
  }
  if (format == "u4") {
    return low & 15U;
  }
  return static_cast<std::int32_t>(low);
}

unsigned BitsOf(std::string_view format) {
  if (format == "f16" || format == "bf16") {
    return 16;
  }
  if (format == "s8" || format == "u8") {
    return 8;
  }
  if (format == "s4" || format == "u4") {
    return 4;
  }
  return format == "f64" ? 64 : 32;
}

struct Place {
  unsigned row = 0;
  unsigned column = 0;
};

// Element `i` that lane holds of A (m by k), counted through its registers.
Place PlaceOfA(unsigned bits, unsigned m, unsigned lane, unsigned i) {
  const unsigned group = lane / 4;
  const unsigned t = lane % 4;
  const unsigned pack = bits >= 32 ? 1 : 32 / bits;
  const unsigned reg = i / pack;
  const unsigned blocks = m / 8;
  return {group + 8 * (reg % blocks), t * pack + i % pack + 4 * pack * (reg / blocks)};
}

// Of B (k by 8).
Place PlaceOfB(unsigned bits, unsigned lane, unsigned i) {
  const unsigned pack = bits >= 32 ? 1 : 32 / bits;
  return {lane % 4 * pack + i % pack + 4 * pack * (i / pack), lane / 4};
}

// Of C and D (m by 8): c0, c1 in row group, c2, c3 in row group + 8.
Place PlaceOfC(unsigned lane, unsigned i) { return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2}; }

struct Matrix {
  unsigned rows = 0;
  unsigned columns = 0;
  std::vector<std::uint64_t> bits;
  std::uint64_t& At(unsigned row, unsigned column) { return bits[row * columns + column]; }
  static Matrix Of(unsigned rows, unsigned columns) {
    return {rows, columns, std::vector<std::uint64_t>(std::size_t{rows} * columns)};
  }
};

class MmaOpsTest : public testing::TestWithParam<HandlerVariant> {
 protected:
  std::uint32_t Random() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::uint32_t>(state_ >> 16U);
  }

  std::uint64_t RandomElement(std::string_view format) {
    if (format == "f16") {
      return 0x2c00U + Random() % 0x1400U + (Random() % 2 << 15U);
    }
    if (format == "bf16") {
      return 0x3d00U + Random() % 0x300U + (Random() % 2 << 15U);
    }
    if (format == "f64") {
      return std::bit_cast<std::uint64_t>(static_cast<double>(Random()) / 1e9 - 2);
    }
    if (format == "f32" || format == "tf32") {
      return std::bit_cast<std::uint32_t>(static_cast<float>(Random()) / 1e9F - 2.0F);
    }
    return Random() & (BitsOf(format) == 32 ? ~0U : (1U << BitsOf(format)) - 1);
  }

  Matrix RandomMatrix(std::string_view format, unsigned rows, unsigned columns) {
    Matrix matrix = Matrix::Of(rows, columns);
    for (auto& each : matrix.bits) {
      each = RandomElement(format);
    }
    return matrix;
  }

  // Registers of a fragment of `elements` elements a lane.
  std::vector<std::uint32_t> Fragment(Matrix& matrix, unsigned bits, unsigned elements,
                                      const std::function<Place(unsigned, unsigned)>& place) {
    std::vector<std::uint32_t> places;
    const unsigned pack = bits >= 32 ? 1 : 32 / bits;
    for (unsigned reg = 0; reg < elements / pack; ++reg) {
      PerLane<std::uint64_t> values{};
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        for (unsigned i = 0; i < pack; ++i) {
          const Place at = place(lane, reg * pack + i);
          values[lane] |= matrix.At(at.row, at.column) << (bits * i % 64);
        }
      }
      if (bits == 64) {
        places.push_back(rig_.Put(values));
      } else {
        PerLane<std::uint32_t> narrow;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          narrow[lane] = static_cast<std::uint32_t>(values[lane]);
        }
        places.push_back(rig_.Put(narrow));
      }
    }
    return places;
  }

  std::uint64_t ReadElement(const std::vector<std::uint32_t>& places, unsigned bits, unsigned lane,
                            unsigned i) {
    if (bits == 64) {
      return rig_.Get<std::uint64_t>(places[i])[lane];
    }
    const unsigned pack = 32 / bits;
    const std::uint32_t word = rig_.Get<std::uint32_t>(places[i / pack])[lane];
    return bits == 32 ? word : (word >> (bits * (i % pack))) & ((1U << bits) - 1);
  }

  void CheckMma(const std::string& shape, unsigned m, unsigned k, const std::string& d_format,
                const std::string& a_format, const std::string& b_format,
                const std::string& suffix = "");

  WarpRig rig_{GetParam()};
  std::uint64_t state_ = 88172645463325252U;
};

INSTANTIATE_TEST_SUITE_P(Variants, MmaOpsTest, testing::ValuesIn(WarpVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

std::int64_t Saturate(std::int64_t value, bool saturates) {
  if (!saturates) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(value));
  }
  return std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max());
}

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
  const Type type = bits == 64 ? Type::kF64 : Type::kB32;
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

// ------------------------------------------------------------------------------------ ldmatrix

std::uint16_t SharedHalf(const WarpRig& rig, std::size_t index) {
  std::uint16_t value = 0;
  std::memcpy(&value, rig.block.shared + index * 2, sizeof value);
  return value;
}

TEST_P(MmaOpsTest, LdmatrixGivesEachLaneItsTwoElements) {
  for (std::uint32_t i = 0; i < 8192; ++i) {
    const auto value = static_cast<std::uint16_t>(Random());
    std::memcpy(rig_.block.shared + std::size_t{i} * 2, &value, 2);
  }
  for (const unsigned count : {1U, 2U, 4U}) {
    for (const bool transposed : {false, true}) {
      for (const bool narrow : {false, true}) {
        PerLane<std::uint32_t> rows;
        PerLane<std::uint64_t> wide;
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
          rows[lane] = Random() % 900 * 16;
          // Only the first 8 * count addresses are looked at.
          if (lane >= 8 * count) {
            rows[lane] = 0xffffff00U;
          }
          wide[lane] = rows[lane];
        }
        std::vector<std::uint32_t> d;
        for (unsigned i = 0; i < count; ++i) {
          d.push_back(rig_.New());
        }
        const Argument address = narrow ? At32(rig_.Put(rows), 32) : At64(rig_.Put(wide), 32);
        const std::string spelling = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                                     (transposed ? ".trans" : "") + ".shared.b16";
        const auto step = rig_.Assemble(spelling, {Vec(d), address});
        ASSERT_NE(step.handlers.full, nullptr) << spelling;
        for (const Form form : {Form::kFullIfAll, Form::kMasked}) {
          for (const std::uint32_t place : d) {
            rig_.Set(place, PerLane<std::uint32_t>{});
          }
          ASSERT_TRUE(rig_.Run(step, form)) << spelling;
          for (unsigned matrix = 0; matrix < count; ++matrix) {
            const auto got = rig_.Get<std::uint32_t>(d[matrix]);
            for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
              for (unsigned half = 0; half < 2; ++half) {
                unsigned row = lane / 4;
                unsigned column = lane % 4 * 2 + half;
                if (transposed) {
                  std::swap(row, column);
                }
                const std::uint16_t expected =
                    SharedHalf(rig_, (rows[matrix * 8 + row] + 32) / 2 + column);
                ASSERT_EQ((got[lane] >> (16 * half)) & 0xffffU, expected);
              }
            }
          }
        }
      }
    }
  }
}

TEST_P(MmaOpsTest, StmatrixUndoesLdmatrix) {
  for (const std::string suffix : {"", ".trans"}) {
    for (std::uint32_t i = 0; i < 512; ++i) {
      rig_.block.shared[i] = static_cast<std::byte>(Random());
    }
    PerLane<std::uint32_t> from;
    PerLane<std::uint32_t> to;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      from[lane] = lane * 16;
      to[lane] = 4096 + lane * 32;
    }
    const std::vector<std::uint32_t> d = {rig_.New(), rig_.New(), rig_.New(), rig_.New()};
    ASSERT_TRUE(rig_.Do("ldmatrix.sync.aligned.m8n8.x4" + suffix + ".shared.b16",
                        {Vec(d), At32(rig_.Put(from))}));
    ASSERT_TRUE(rig_.Do("stmatrix.sync.aligned.m8n8.x4" + suffix + ".shared.b16",
                        {At32(rig_.Put(to)), Vec(d)}));
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      EXPECT_EQ(std::memcmp(rig_.block.shared + from[lane], rig_.block.shared + to[lane], 16), 0);
    }
  }
}

TEST_P(MmaOpsTest, MovmatrixTransposes) {
  PerLane<std::uint32_t> a;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    a[lane] = 2 * lane | (2 * lane + 1) << 16U;
  }
  const std::uint32_t d = rig_.New();
  ASSERT_TRUE(rig_.Do("movmatrix.sync.aligned.m8n8.trans.b16", {R32(d), R32(rig_.Put(a))}));
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t low = lane % 4 * 2 * 8 + lane / 4;
    EXPECT_EQ(rig_.Get<std::uint32_t>(d)[lane], low | (low + 8) << 16U);
  }
}

// C[32x16] = A[32x48] B[48x16] with A row-major and B row-major in shared memory: the way
// kernels write it, ldmatrix.x4 for A, ldmatrix.x2.trans for B.
TEST_P(MmaOpsTest, GemmByLdmatrixAndMma) {
  constexpr unsigned kM = 32;
  constexpr unsigned kN = 16;
  constexpr unsigned kK = 48;
  constexpr unsigned kBaseB = kM * kK * 2;
  Matrix a = RandomMatrix("f16", kM, kK);
  Matrix b = RandomMatrix("f16", kK, kN);
  for (unsigned i = 0; i < kM * kK; ++i) {
    std::memcpy(rig_.block.shared + i * 2, &a.bits[i], 2);
  }
  for (unsigned i = 0; i < kK * kN; ++i) {
    std::memcpy(rig_.block.shared + kBaseB + i * 2, &b.bits[i], 2);
  }
  const std::uint32_t address = rig_.New();
  const std::vector<std::uint32_t> fa = {rig_.New(), rig_.New(), rig_.New(), rig_.New()};
  const std::vector<std::uint32_t> fb = {rig_.New(), rig_.New()};
  const std::vector<std::uint32_t> fc = {rig_.New(), rig_.New(), rig_.New(), rig_.New()};
  const auto load_a =
      rig_.Assemble("ldmatrix.sync.aligned.m8n8.x4.shared.b16", {Vec(fa), At32(address)});
  const auto load_b =
      rig_.Assemble("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", {Vec(fb), At32(address)});
  const auto multiply = rig_.Assemble("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                      {Vec(fc), Vec(fa), Vec(fb), Vec(fc)});
  for (unsigned m = 0; m < kM; m += 16) {
    for (unsigned n = 0; n < kN; n += 8) {
      for (const std::uint32_t place : fc) {
        rig_.Set(place, PerLane<std::uint32_t>{});
      }
      for (unsigned k = 0; k < kK; k += 16) {
        PerLane<std::uint32_t> rows{};
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          rows[lane] = ((m + lane % 16) * kK + k + lane / 16 * 8) * 2;
        }
        rig_.Set(address, rows);
        ASSERT_TRUE(rig_.Run(load_a));
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          rows[lane] = kBaseB + ((k + lane % 16) * kN + n) * 2;
        }
        rig_.Set(address, rows);
        ASSERT_TRUE(rig_.Run(load_b));
        ASSERT_TRUE(rig_.Run(multiply));
      }
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        for (unsigned i = 0; i < 4; ++i) {
          const Place at = PlaceOfC(lane, i);
          double sum = 0;
          double magnitude = 0;
          for (unsigned k = 0; k < kK; ++k) {
            const double product =
                ValueOf("f16", a.At(m + at.row, k)) * ValueOf("f16", b.At(k, n + at.column));
            sum += product;
            magnitude += std::abs(product);
          }
          ASSERT_NEAR(ValueOf("f32", ReadElement(fc, 32, lane, i)), sum, kK * 0x1p-24 * magnitude);
        }
      }
    }
  }
}

// ---------------------------------------------------------------------------------------- wmma

struct WmmaCase {
  unsigned m, n, k;
  std::string element, accumulator;
  unsigned a, b, c;  // registers
};

class Wmma {
 public:
  explicit Wmma(WarpRig& rig) : rig_(rig) {}
  // Bytes of a matrix of `bits`-bit elements, line after line with `stride` elements.
  void Write(std::uint64_t base, Matrix& matrix, unsigned bits, bool rows, unsigned stride) {
    for (unsigned i = 0; i < matrix.rows; ++i) {
      for (unsigned j = 0; j < matrix.columns; ++j) {
        const std::size_t index = rows ? i * stride + j : j * stride + i;
        std::memcpy(rig_.global.data() + base + index * bits / 8, &matrix.At(i, j), bits / 8);
      }
    }
  }
  std::uint64_t Read(std::uint64_t base, unsigned i, unsigned j, unsigned bits, bool rows,
                     unsigned stride) {
    std::uint64_t value = 0;
    const std::size_t index = rows ? i * stride + j : j * stride + i;
    std::memcpy(&value, rig_.global.data() + base + index * bits / 8, bits / 8);
    return value;
  }
  std::vector<std::uint32_t> Registers(unsigned count) {
    std::vector<std::uint32_t> places;
    for (unsigned i = 0; i < count; ++i) {
      places.push_back(rig_.New(8));
    }
    return places;
  }

 private:
  WarpRig& rig_;
};

TEST_P(MmaOpsTest, WmmaMultipliesEveryShapeAndLayout) {
  const std::vector<WmmaCase> cases = {
      {16, 16, 16, "f16", "f32", 8, 8, 8},  {32, 8, 16, "f16", "f32", 8, 8, 8},
      {8, 32, 16, "f16", "f32", 8, 8, 8},   {16, 16, 16, "f16", "f16", 8, 8, 4},
      {32, 8, 16, "f16", "f16", 8, 8, 4},   {8, 32, 16, "f16", "f16", 8, 8, 4},
      {16, 16, 16, "bf16", "f32", 4, 4, 8}, {32, 8, 16, "bf16", "f32", 8, 2, 8},
      {8, 32, 16, "bf16", "f32", 2, 8, 8},  {16, 16, 16, "s8", "s32", 2, 2, 8},
      {32, 8, 16, "s8", "s32", 4, 1, 8},    {8, 32, 16, "u8", "s32", 1, 4, 8},
      {16, 16, 8, "tf32", "f32", 4, 4, 8},  {8, 8, 4, "f64", "f64", 1, 1, 2}};
  for (const WmmaCase& test : cases) {
    for (unsigned layouts = 0; layouts < 8; ++layouts) {
      const bool rows_a = (layouts & 1U) != 0;
      const bool rows_b = (layouts & 2U) != 0;
      const bool rows_c = (layouts & 4U) != 0;
      WarpRig rig(GetParam());
      rig.global.resize(65536);
      Wmma wmma(rig);
      const unsigned bits = BitsOf(test.element);
      const unsigned d_bits = BitsOf(test.accumulator);
      Matrix a = RandomMatrix(test.element, test.m, test.k);
      Matrix b = RandomMatrix(test.element, test.k, test.n);
      Matrix c = RandomMatrix(test.accumulator, test.m, test.n);
      const unsigned stride_a = (rows_a ? test.k : test.m) + 16;
      const unsigned stride_b = (rows_b ? test.n : test.k) + 32;
      const unsigned stride_c = (rows_c ? test.n : test.m) + 8;
      wmma.Write(0, a, bits, rows_a, stride_a);
      wmma.Write(16384, b, bits, rows_b, stride_b);
      wmma.Write(32768, c, d_bits, rows_c, stride_c);
      const std::string shape = ".m" + std::to_string(test.m) + "n" + std::to_string(test.n) + "k" +
                                std::to_string(test.k);
      const auto layout = [](bool rows) { return std::string(rows ? ".row" : ".col"); };
      const Type type = bits == 64 ? Type::kF64 : Type::kB32;
      const auto base = [&](std::uint64_t offset) {
        return At64(rig.PutAll(WarpRig::kGlobalBase), static_cast<std::int64_t>(offset));
      };
      const auto fa = wmma.Registers(test.a);
      const auto fb = wmma.Registers(test.b);
      const auto fc = wmma.Registers(test.c);
      const std::string prefix = ".sync.aligned";
      SCOPED_TRACE(shape + test.element + test.accumulator + std::to_string(layouts));
      ASSERT_TRUE(
          rig.Do("wmma.load.a" + prefix + layout(rows_a) + shape + ".global." + test.element,
                 {Vec(fa, type), base(0), R32(rig.PutAll(stride_a))}));
      ASSERT_TRUE(rig.Do("wmma.load.b" + prefix + layout(rows_b) + shape + "." + test.element,
                         {Vec(fb, type), base(16384), R32(rig.PutAll(stride_b))}));
      ASSERT_TRUE(
          rig.Do("wmma.load.c" + prefix + layout(rows_c) + shape + ".global." + test.accumulator,
                 {Vec(fc, type), base(32768), R32(rig.PutAll(stride_c))}));
      std::string types = "." + test.accumulator;
      if (test.element != "f16") {
        types += "." + test.element + "." + test.element;
      }
      types += "." + test.accumulator + (test.element == "f64" ? ".rn" : "");
      ASSERT_TRUE(rig.Do("wmma.mma" + prefix + layout(rows_a) + layout(rows_b) + shape + types,
                         {Vec(fc, type), Vec(fa, type), Vec(fb, type), Vec(fc, type)}));
      ASSERT_TRUE(
          rig.Do("wmma.store.d" + prefix + layout(!rows_c) + shape + ".global." + test.accumulator,
                 {base(49152), Vec(fc, type)}));
      for (unsigned i = 0; i < test.m; ++i) {
        for (unsigned j = 0; j < test.n; ++j) {
          double sum = ValueOf(test.accumulator, c.At(i, j));
          double magnitude = std::abs(sum);
          for (unsigned k = 0; k < test.k; ++k) {
            const double product =
                ValueOf(test.element, a.At(i, k)) * ValueOf(test.element, b.At(k, j));
            sum += product;
            magnitude += std::abs(product);
          }
          const unsigned dense = rows_c ? test.m : test.n;
          const double got =
              ValueOf(test.accumulator, wmma.Read(49152, i, j, d_bits, !rows_c, dense));
          if (test.accumulator == "s32") {
            ASSERT_EQ(static_cast<std::int64_t>(got),
                      Saturate(static_cast<std::int64_t>(sum), false));
          } else {
            const double unit = d_bits == 16 ? 0x1p-11 : d_bits == 32 ? 0x1p-24 : 0x1p-52;
            ASSERT_NEAR(got, sum, (test.k + 1) * unit * magnitude) << i << "," << j;
          }
        }
      }
    }
  }
}

TEST_P(MmaOpsTest, WmmaOutOfBoundsEndsTheLaunch) {
  rig_.global.resize(256);
  std::vector<std::uint32_t> d;
  for (unsigned i = 0; i < 8; ++i) {
    d.push_back(rig_.New());
  }
  EXPECT_FALSE(rig_.Do("wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
                       {Vec(d), At64(rig_.PutAll(WarpRig::kGlobalBase)), R32(rig_.PutAll(16U))}));
  EXPECT_EQ(rig_.worker.fault.error, 700);
}

}  // namespace
}  // namespace assay::gpu
