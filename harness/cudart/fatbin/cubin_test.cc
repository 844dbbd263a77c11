// SPDX-License-Identifier: Apache-2.0
#include "cudart/fatbin/cubin.h"

#include <gtest/gtest.h>

#include "cudart/fatbin/fat_binary.h"
#include "cudart/fatbin/read_for_test.h"

namespace assay::gpu {
namespace {

ResourcesByKernel ResourcesIn(const std::string& name) {
  for (const FatEntry& entry : MustRead(name).entries) {
    if (entry.kind == FatEntry::Kind::kElf) {
      const auto resources = ReadCubin(entry.elf);
      EXPECT_TRUE(resources.has_value()) << ToString(resources.error());
      return resources.value_or(ResourcesByKernel{});
    }
  }
  ADD_FAILURE() << name << " has no cubin";
  return {};
}

// The numbers are what `ptxas -v` of nvcc 13.0 said of testdata/tiny.cu.
TEST(Cubin, ResourcesAreThoseThatPtxasSays) {
  const ResourcesByKernel resources = ResourcesIn("none.fatbin");
  ASSERT_EQ(resources.size(), 2U);
  const CubinResources& scale = resources.at("Scale");
  EXPECT_EQ(scale.registers, 8U);
  EXPECT_EQ(scale.static_shared_bytes, 256U);
  EXPECT_EQ(scale.constant_bytes, 368U);
  EXPECT_EQ(scale.local_bytes, 0U);
  const CubinResources& pick = resources.at("Pick");
  EXPECT_EQ(pick.registers, 10U);
  EXPECT_EQ(pick.static_shared_bytes, 0U);
  EXPECT_EQ(pick.constant_bytes, 364U);
  EXPECT_EQ(pick.local_bytes, 104U);
}

TEST(Cubin, SharedMemoryOfSm90IsWithoutWhatTheSystemReserves) {
  const ResourcesByKernel resources = ResourcesIn("multi.fatbin");
  EXPECT_EQ(resources.at("Scale").registers, 10U);
  EXPECT_EQ(resources.at("Scale").static_shared_bytes, 256U);
  EXPECT_EQ(resources.at("Pick").registers, 10U);
  EXPECT_EQ(resources.at("Pick").local_bytes, 104U);
}

TEST(Cubin, WhatIsNoCubinIsAnError) {
  EXPECT_FALSE(ReadCubin({}).has_value());
  Bytes elf = MustRead("none.fatbin").entries.at(0).elf;
  Bytes damaged = elf;
  damaged[0] = std::byte{0};
  EXPECT_FALSE(ReadCubin(damaged).has_value());
  damaged = elf;
  WriteAt<std::uint64_t>(damaged, 40, ~std::uint64_t{0});
  EXPECT_FALSE(ReadCubin(damaged).has_value());
  elf.resize(elf.size() / 2);
  EXPECT_FALSE(ReadCubin(elf).has_value());
}

}  // namespace
}  // namespace assay::gpu
