// SPDX-License-Identifier: Apache-2.0
// wmma against matrices multiplied one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/ops/matrix_rig.h"

namespace assay::gpu {
namespace {

class WmmaOpsTest : public MatrixOpsTest {};

ASSAY_IN_EVERY_VARIANT(WmmaOpsTest);

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

TEST_P(WmmaOpsTest, WmmaMultipliesEveryShapeAndLayout) {
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
      const ptx::Type type = bits == 64 ? ptx::Type::kF64 : ptx::Type::kB32;
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

TEST_P(WmmaOpsTest, WmmaOutOfBoundsEndsTheLaunch) {
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
