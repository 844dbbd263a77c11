// SPDX-License-Identifier: Apache-2.0
#include "cudart/fatbin/fat_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "cudart/fatbin/bytes.h"
#include "cudart/fatbin/cubin.h"
#include "cudart/fatbin/read_for_test.h"
#include "cudart/fatbin/unpack.h"

namespace assay::gpu {
namespace {

using testing::HasSubstr;

// Offsets in a file whose first entry begins behind the 16 bytes of its header.
constexpr std::size_t kEntry = 16;
constexpr std::size_t kHeaderBytesAt = kEntry + 4;
constexpr std::size_t kPayloadBytesAt = kEntry + 8;
constexpr std::size_t kPackedBytesAt = kEntry + 16;
constexpr std::size_t kUnpackedBytesAt = kEntry + 56;

Result<FatBinary> Read(const Bytes& bytes) {
  return ReadFatBinary(std::span<const std::byte>(bytes));
}

std::string Cause(const Result<FatBinary>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? "" : result.error().cause;
}

FatEntry Ptx(std::uint32_t arch) { return {.kind = FatEntry::Kind::kPtx, .arch = arch}; }

TEST(FatBinary, EveryCompressionHoldsTheSameProgram) {
  const FatBinary plain = MustRead("none.fatbin");
  ASSERT_EQ(plain.entries.size(), 2U);
  EXPECT_EQ(plain.entries[0].kind, FatEntry::Kind::kElf);
  EXPECT_EQ(plain.entries[1].kind, FatEntry::Kind::kPtx);
  EXPECT_EQ(plain.entries[1].arch, 80U);
  EXPECT_THAT(plain.entries[1].ptx, HasSubstr(".visible .entry Scale("));
  EXPECT_EQ(plain.entries[1].ptx.back(), '\n');
  for (const char* const name : {"size.fatbin", "speed.fatbin"}) {
    const FatBinary packed = MustRead(name);
    ASSERT_EQ(packed.entries.size(), 2U) << name;
    EXPECT_EQ(packed.entries[1].ptx, plain.entries[1].ptx) << name;
    EXPECT_EQ(packed.entries[0].elf.size(), plain.entries[0].elf.size()) << name;
  }
}

TEST(FatBinary, IsReadFromItsAddressAlone) {
  Bytes bytes = ReadTestdata("size.fatbin");
  EXPECT_EQ(FatBinarySize(bytes.data()), bytes.size());
  bytes.resize(bytes.size() + 100);
  const auto binary = ReadFatBinary(static_cast<const void*>(bytes.data()));
  ASSERT_TRUE(binary.has_value());
  EXPECT_EQ(binary->entries.size(), 2U);
  EXPECT_FALSE(FatBinarySize(nullptr).has_value());
}

TEST(FatBinary, SaysItsPtxVersionWithoutBeingUnpacked) {
  const auto version_of = [](const std::string& name) {
    return HighestPtxVersion(ReadTestdata(name).data());
  };
  for (const char* const name : {"none.fatbin", "size.fatbin", "speed.fatbin", "multi.fatbin"}) {
    EXPECT_EQ(version_of(name), (PtxVersion{.major = 9, .minor = 0})) << name;
  }
  EXPECT_EQ(version_of("nvcc118.fatbin"), (PtxVersion{.major = 7, .minor = 8}));
  EXPECT_EQ(version_of("sass.fatbin"), std::nullopt);
  EXPECT_EQ(HighestPtxVersion(nullptr), std::nullopt);
  Bytes damaged = ReadTestdata("size.fatbin");
  damaged[kPayloadBytesAt] = std::byte{0xff};
  damaged[kPayloadBytesAt + 4] = std::byte{0xff};
  EXPECT_EQ(HighestPtxVersion(damaged.data()), std::nullopt);
}

TEST(FatBinary, OfNvcc118IsRead) {
  const FatBinary binary = MustRead("nvcc118.fatbin");
  ASSERT_EQ(binary.entries.size(), 2U);
  EXPECT_THAT((*ChoosePtx(binary, 80))->ptx, HasSubstr(".visible .entry Scale("));
  EXPECT_THAT((*ChoosePtx(binary, 80))->ptx, HasSubstr(".version 7.8"));
}

TEST(FatBinary, ChoosesTheHighestPtxThatFits) {
  const FatBinary binary = MustRead("multi.fatbin");
  EXPECT_EQ((*ChoosePtx(binary, 80))->arch, 75U);
  EXPECT_EQ((*ChoosePtx(binary, 90))->arch, 90U);
  EXPECT_EQ((*ChoosePtx(binary, 120))->arch, 90U);
  const FatBinary many{.entries = {Ptx(90), Ptx(75), Ptx(86), Ptx(80)}};
  EXPECT_EQ((*ChoosePtx(many, 85))->arch, 80U);
  EXPECT_EQ((*ChoosePtx(many, 89))->arch, 86U);
}

TEST(FatBinary, PtxOfANewerGpuAloneIsNoImage) {
  const auto chosen = ChoosePtx({.entries = {Ptx(100), Ptx(90)}}, 80);
  ASSERT_FALSE(chosen.has_value());
  EXPECT_EQ(chosen.error().cause,
            "no kernel image for this GPU, which is sm_80: the PTX is for compute_100 compute_90");
  EXPECT_EQ(chosen.error().remedy, "compile with -gencode arch=compute_80,code=compute_80");
  EXPECT_TRUE(ChoosePtx({.entries = {Ptx(100), Ptx(90)}}, 90).has_value());
}

TEST(FatBinary, WithoutPtxSaysHowToCompile) {
  const auto chosen = ChoosePtx(MustRead("sass.fatbin"), 80);
  ASSERT_FALSE(chosen.has_value());
  EXPECT_THAT(chosen.error().cause, HasSubstr("machine code alone, of sm_80"));
  EXPECT_EQ(chosen.error().remedy, "compile with -gencode arch=compute_80,code=compute_80");
  EXPECT_FALSE(ChoosePtx(FatBinary{}, 80).has_value());
}

TEST(FatBinary, DamagedHeadersAreNamed) {
  EXPECT_THAT(Cause(Read({})), HasSubstr("0 bytes, fewer than its header"));
  Bytes bytes = ReadTestdata("none.fatbin");
  WriteAt<std::uint32_t>(bytes, 0, 0xba55ed51U);
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("header is not that"));
  bytes = ReadTestdata("none.fatbin");
  WriteAt<std::uint16_t>(bytes, 4, 2);
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("header is not that"));
  bytes = ReadTestdata("none.fatbin");
  WriteAt<std::uint64_t>(bytes, 8, ~std::uint64_t{0});
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("promises 18446744073709551615 bytes"));
  bytes = ReadTestdata("none.fatbin");
  bytes.pop_back();
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("cut off"));
}

TEST(FatBinary, DamagedEntriesAreNamed) {
  Bytes bytes = ReadTestdata("none.fatbin");
  WriteAt<std::uint32_t>(bytes, kHeaderBytesAt, 0);
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("entry at byte 16 reaches past the end"));
  bytes = ReadTestdata("none.fatbin");
  WriteAt<std::uint64_t>(bytes, kPayloadBytesAt, ~std::uint64_t{0} - 64);
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("reaches past the end"));
  bytes = ReadTestdata("size.fatbin");
  WriteAt<std::uint32_t>(bytes, kPackedBytesAt, 0xffffffffU);
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("does not unpack (zstd)"));
  bytes = ReadTestdata("size.fatbin");
  WriteAt<std::uint64_t>(bytes, kUnpackedBytesAt, 17);
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("to the 17 bytes"));
  bytes = ReadTestdata("size.fatbin");
  WriteAt<std::uint64_t>(bytes, kUnpackedBytesAt, std::uint64_t{1} << 60U);
  EXPECT_THAT(Cause(Read(bytes)), HasSubstr("past 512 MiB"));
}

TEST(FatBinary, KindsThatAreNotPtxOrElfAreLeftOut) {
  Bytes bytes = ReadTestdata("none.fatbin");
  WriteAt<std::uint16_t>(bytes, kEntry, 16);
  const auto binary = Read(bytes);
  ASSERT_TRUE(binary.has_value());
  EXPECT_EQ(binary->entries.size(), 1U);
}

TEST(Unpack, PromisesThatAreNotKeptAreRefused) {
  const Bytes packed(8, std::byte{0});
  EXPECT_EQ(UnpackLz4(packed, std::uint64_t{500} << 20U), std::nullopt);
  EXPECT_EQ(UnpackLz4(packed, 100), std::nullopt);
  EXPECT_EQ(UnpackZstd(packed, std::uint64_t{500} << 20U), std::nullopt);
  EXPECT_EQ(UnpackZstd({}, 0), std::nullopt);
}

TEST(FatBinary, TruncatedOrFlippedBytesAreAnErrorOrABinary) {
  std::minstd_rand random(4);
  for (const char* const name : {"none.fatbin", "size.fatbin", "speed.fatbin", "multi.fatbin"}) {
    const Bytes whole = ReadTestdata(name);
    for (int i = 0; i < 600; ++i) {
      Bytes damaged = whole;
      for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
        damaged[random() % damaged.size()] ^= std::byte{1} << (random() % 8);
      }
      if (i % 3 == 0) {
        damaged.resize(random() % damaged.size());
      }
      const auto binary = Read(damaged);
      EXPECT_TRUE(binary.has_value() || !binary.error().cause.empty());
      for (const FatEntry& entry : binary ? binary->entries : std::vector<FatEntry>{}) {
        const auto resources = ReadCubin(entry.elf);
        EXPECT_TRUE(resources.has_value() || !resources.error().cause.empty());
      }
    }
  }
}

}  // namespace
}  // namespace assay::gpu
