// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix, movmatrix, and a matrix product as kernels write it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "emulator/ops/matrix_rig.h"

namespace assay::gpu {
namespace {

class LdmatrixOpsTest : public MatrixOpsTest {};

ASSAY_IN_EVERY_VARIANT(LdmatrixOpsTest);

std::uint16_t SharedHalf(const WarpRig& rig, std::size_t index) {
  std::uint16_t value = 0;
  std::memcpy(&value, rig.block.shared + index * 2, sizeof value);
  return value;
}

TEST_P(LdmatrixOpsTest, LdmatrixGivesEachLaneItsTwoElements) {
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

// What it reads counts as shared memory: from device memory it would be free.
TEST_P(LdmatrixOpsTest, GenericAddressesLeadToSharedMemoryAlone) {
  rig_.global.resize(4096);
  for (const std::string instruction : {"ldmatrix", "stmatrix"}) {
    for (const bool global : {false, true}) {
      PerLane<std::uint64_t> rows;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        rows[lane] = (global ? WarpRig::kGlobalBase : kSharedWindow) + lane * 16;
      }
      const Argument address = At64(rig_.Put(rows));
      const Argument matrix = Vec({rig_.New()});
      const std::string spelling = instruction + ".sync.aligned.m8n8.x1.b16";
      EXPECT_EQ(instruction == "ldmatrix" ? rig_.Do(spelling, {matrix, address})
                                          : rig_.Do(spelling, {address, matrix}),
                !global)
          << spelling;
    }
  }
}

TEST_P(LdmatrixOpsTest, StmatrixUndoesLdmatrix) {
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

TEST_P(LdmatrixOpsTest, MovmatrixTransposes) {
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
TEST_P(LdmatrixOpsTest, GemmByLdmatrixAndMma) {
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

}  // namespace
}  // namespace assay::gpu
