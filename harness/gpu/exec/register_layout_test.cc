// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/register_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

FlatKernel Flat(std::string_view body) {
  auto flat = FlattenKernel(ParsedPtx(".visible .entry k() {" + std::string(body) + "}"));
  EXPECT_TRUE(flat);
  return std::move(*flat);
}

TEST(RegisterLayout, RegistersThatAreNeverAliveTogetherShareAPlace) {
  const FlatKernel kernel = Flat(R"(
  .reg .b32 %r<5>;
  mov.u32 %r1, 1;
  add.s32 %r2, %r1, 1;
  add.s32 %r3, %r2, 1;
  add.s32 %r4, %r3, 1;
  ret;)");
  const RegisterLayout layout = LayOutRegisters(kernel, 0);
  // An instruction's results never share with what it reads: two places, in turn.
  EXPECT_EQ(layout.size_bytes, 2 * 128U);
  EXPECT_FALSE(layout.reads_before_writes);
}

TEST(RegisterLayout, WhatALoopCarriesStaysAliveAllThroughIt) {
  const FlatKernel kernel = Flat(R"(
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  mov.u32 %r1, 0;
$L:
  mov.u32 %r2, 5;
  add.s32 %r1, %r1, %r2;
  mov.u32 %r3, 7;
  setp.lt.s32 %p1, %r3, %r2;
  @%p1 bra $L;
  ret;)");
  const auto offsets = LayOutRegisters(kernel, 0).offset_bytes;
  const auto& use = UseOf(kernel.instructions[0]);
  const std::uint32_t carried = use.writes.at(0);
  for (const std::size_t i : {1U, 3U}) {
    const std::uint32_t inner = UseOf(kernel.instructions[i]).writes.at(0);
    EXPECT_NE(offsets[inner], offsets[carried]);
  }
}

TEST(RegisterLayout, AGuardedWriteKeepsTheOldValueAlive) {
  const FlatKernel kernel = Flat(R"(
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  mov.u32 %r1, 1;
  mov.u32 %r2, 2;
  setp.eq.s32 %p1, %r2, 2;
  @%p1 mov.u32 %r1, 3;
  add.s32 %r3, %r1, 0;
  ret;)");
  const auto offsets = LayOutRegisters(kernel, 0).offset_bytes;
  const std::uint32_t kept = UseOf(kernel.instructions[0]).writes.at(0);
  const std::uint32_t other = UseOf(kernel.instructions[1]).writes.at(0);
  EXPECT_NE(offsets[kept], offsets[other]);
}

TEST(RegisterLayout, SeesRegistersThatAreReadBeforeTheyAreWritten) {
  const FlatKernel kernel = Flat(R"(
  .reg .b32 %r<4>;
  add.s32 %r2, %r1, 1;
  ret;)");
  EXPECT_TRUE(LayOutRegisters(kernel, 0).reads_before_writes);
}

TEST(RegisterLayout, StoresHaveNoDestination) {
  const FlatKernel kernel = Flat(R"(
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, 1;
  mov.u64 %rd1, 64;
  st.global.u32 [%rd1+4], %r1;
  ret;)");
  const RegisterUse use = UseOf(kernel.instructions[2]);
  EXPECT_TRUE(use.writes.empty());
  EXPECT_EQ(use.reads.size(), 2U);
}

}  // namespace
}  // namespace assay::gpu
