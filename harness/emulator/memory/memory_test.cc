// SPDX-License-Identifier: Apache-2.0
// Loads and stores of whole warps: what they move, count and find. Global, local, parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "emulator/memory/launch_rig.h"

namespace assay::gpu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

std::uint64_t Filled(LaunchRig& rig, std::uint64_t size_bytes) {
  const std::uint64_t address = *rig.memory->Allocate(size_bytes);
  std::vector<std::byte> bytes(size_bytes);
  for (std::size_t i = 0; i < size_bytes; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  }
  EXPECT_TRUE(rig.memory->CopyToDevice(address, bytes).has_value());
  return address;
}

TEST(GlobalAccess, CountsSectorsAsComputedByHand) {
  struct Case {
    const char* name;
    Type type;
    std::uint32_t vector;
    LaneMask lanes;
    std::function<std::uint64_t(std::uint32_t)> offset;
    std::uint64_t sectors;
    std::uint64_t ideal;
  };
  const std::vector<Case> cases = {
      {"consecutive 4", Type::kU32, 1, kAllLanes, [](auto l) { return 4 * l; }, 4, 4},
      {"consecutive 1", Type::kU8, 1, kAllLanes, [](auto l) { return l; }, 1, 1},
      {"consecutive 2", Type::kU16, 1, kAllLanes, [](auto l) { return 2 * l; }, 2, 2},
      {"consecutive 8", Type::kU64, 1, kAllLanes, [](auto l) { return 8 * l; }, 8, 8},
      {"consecutive 16", Type::kU32, 4, kAllLanes, [](auto l) { return 16 * l; }, 16, 16},
      {"4 bytes off", Type::kU32, 1, kAllLanes, [](auto l) { return 4 + 4 * l; }, 5, 4},
      {"28 bytes off", Type::kU32, 1, kAllLanes, [](auto l) { return 28 + 4 * l; }, 5, 4},
      {"1 byte off", Type::kU8, 1, kAllLanes, [](auto l) { return 1 + l; }, 2, 1},
      {"broadcast", Type::kU32, 1, kAllLanes, [](auto) { return 40; }, 1, 1},
      {"stride 2", Type::kU32, 1, kAllLanes, [](auto l) { return 8 * l; }, 8, 4},
      {"stride 32 bytes", Type::kU32, 1, kAllLanes, [](auto l) { return 32 * l; }, 32, 4},
      {"stride 128 bytes", Type::kU32, 1, kAllLanes, [](auto l) { return 128 * l; }, 32, 4},
      {"backwards", Type::kU32, 1, kAllLanes, [](auto l) { return 4 * (31 - l); }, 4, 4},
      {"two rows", Type::kU32, 1, kAllLanes, [](auto l) { return l / 16 * 512 + l % 16 * 4; }, 4,
       4},
      {"one lane", Type::kU32, 1, 1U << 9, [](auto) { return 4; }, 1, 1},
      {"nine lanes", Type::kU32, 1, 0x1ffU, [](auto l) { return 4 * l; }, 2, 2},
      {"even lanes", Type::kU32, 1, 0x55555555U, [](auto l) { return 4 * l; }, 4, 2},
      {"top lanes", Type::kU64, 1, 0xff000000U, [](auto l) { return 8 * l; }, 2, 2},
  };
  for (const Case& c : cases) {
    for (const Checking checking : {Checking::kOn, Checking::kOff}) {
      LaunchRig rig({.checking = checking});
      const std::uint64_t base = Filled(rig, 8192);
      rig.Begin();
      for (int again = 0; again < 2; ++again) {
        const auto at = [&](std::uint32_t lane) { return base + c.offset(lane); };
        ASSERT_TRUE(rig.Run(rig.warp(), Load(Space::kGlobal, c.type, c.vector), 0, c.lanes, at));
      }
      const AccessCounters counters = rig.Counters(0);
      const auto threads = static_cast<std::uint64_t>(std::popcount(c.lanes));
      EXPECT_EQ(counters.requests, 2U) << c.name;
      EXPECT_EQ(counters.threads, 2 * threads) << c.name;
      EXPECT_EQ(counters.bytes, 2 * threads * ptx::SizeOf(c.type) * c.vector) << c.name;
      EXPECT_EQ(counters.sectors, 2 * c.sectors) << c.name;
      EXPECT_EQ(counters.ideal_sectors, 2 * c.ideal) << c.name;
      if (checking == Checking::kOn) {
        const LaunchCounters launch = rig.Finish();
        EXPECT_EQ(launch.compulsory_read_bytes, 32 * c.sectors) << c.name;
        EXPECT_EQ(launch.compulsory_write_bytes, 0U) << c.name;
        EXPECT_EQ(launch.dram_read_bytes, 32 * c.sectors) << c.name;
        EXPECT_THAT(rig.findings.records(), testing::IsEmpty()) << c.name;
      }
    }
  }
}

// Each shape of each size, loaded and stored, against a plain loop over bytes.
TEST(GlobalAccess, MovesTheBytes) {
  struct Shape {
    Type type;
    std::uint32_t vector;
  };
  const std::vector<std::function<std::uint64_t(std::uint32_t, std::uint32_t)>> layouts = {
      [](auto l, auto size) { return l * size; }, [](auto l, auto size) { return (l + 3) * size; },
      [](auto, auto size) { return 5 * size; },
      [](auto l, auto size) { return (l * 7 % 32) * 3 * size; }};
  for (const Shape shape : {Shape{Type::kU8, 1},
                            {Type::kS8, 1},
                            {Type::kU8, 4},
                            {Type::kU16, 1},
                            {Type::kU16, 2},
                            {Type::kU32, 1},
                            {Type::kU32, 2},
                            {Type::kU32, 4},
                            {Type::kU64, 1},
                            {Type::kU64, 2}}) {
    const std::uint32_t element = ptx::SizeOf(shape.type);
    const std::uint32_t size = element * shape.vector;
    for (const auto& layout : layouts) {
      for (const LaneMask lanes : {kAllLanes, 0x0000ffffU, 0x80000001U, 0x00010000U, 0xa5a5f00fU}) {
        LaunchRig rig({});
        const std::uint64_t base = Filled(rig, 4096);
        const std::uint64_t to = *rig.memory->Allocate(4096);
        std::vector<std::byte> expected(4096, std::byte{0x11});
        ASSERT_TRUE(rig.memory->CopyToDevice(to, expected).has_value());
        rig.Begin();
        Warp& warp = rig.warp();
        ASSERT_TRUE(rig.Run(warp, Load(Space::kGlobal, shape.type, shape.vector), 0, lanes,
                            [&](auto l) { return base + layout(l, size); }));
        ASSERT_TRUE(rig.Run(warp, Store(Space::kGlobal, shape.type, shape.vector), 1, lanes,
                            [&](auto l) { return to + layout(l, size); }));
        std::vector<std::byte> source(4096);
        std::vector<std::byte> result(4096);
        ASSERT_TRUE(rig.memory->CopyFromDevice(source, base).has_value());
        ASSERT_TRUE(rig.memory->CopyFromDevice(result, to).has_value());
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
          if (((lanes >> lane) & 1U) == 0) {
            continue;
          }
          std::memcpy(&expected[layout(lane, size)], &source[layout(lane, size)], size);
        }
        EXPECT_EQ(result, expected) << size << " " << std::hex << lanes;
      }
    }
  }
}

TEST(GlobalAccess, ExtendsToTheRegister) {
  LaunchRig rig({});
  const std::uint64_t base = *rig.memory->Allocate(128);
  ASSERT_TRUE(rig.memory->CopyToDevice(base, std::vector<std::byte>(128, std::byte{0x85})));
  rig.Begin();
  Warp& warp = rig.warp();
  const auto into = [](Type type, Type held) {
    return LaunchRig::Make(Opcode::kLd, Space::kGlobal, type, 1,
                           [held](ptx::Instruction& i) { i.operands[0].type = held; });
  };
  const auto at = [&](std::uint32_t lane) { return base + 4 * lane; };
  ASSERT_TRUE(rig.Run(warp, into(Type::kS8, Type::kU32), 0, kAllLanes, at));
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[31], 0xffffff85U);
  ASSERT_TRUE(rig.Run(warp, into(Type::kU8, Type::kU32), 1, kAllLanes, at));
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[31], 0x85U);
  ASSERT_TRUE(rig.Run(warp, into(Type::kS16, Type::kU64), 2, kAllLanes, at));
  EXPECT_EQ(LaunchRig::Slot<std::uint64_t>(warp, 0)[7], 0xffffffffffff8585U);
  ASSERT_TRUE(rig.Run(warp, into(Type::kS32, Type::kS64), 3, kAllLanes, at));
  EXPECT_EQ(LaunchRig::Slot<std::uint64_t>(warp, 0)[7], 0xffffffff85858585U);
  ASSERT_TRUE(rig.Run(warp, into(Type::kU32, Type::kU64), 4, kAllLanes, at));
  EXPECT_EQ(LaunchRig::Slot<std::uint64_t>(warp, 0)[7], 0x85858585U);
}

TEST(Memcheck, FindsOneElementPastTheEndAndGoesOn) {
  LaunchRig rig({});
  const std::uint64_t base = Filled(rig, 124);
  rig.Begin();
  EXPECT_TRUE(rig.Run(rig.warp(), Load(Space::kGlobal, Type::kU32), 3, kAllLanes,
                      [&](auto l) { return base + 4 * l; }));
  rig.Finish();
  ASSERT_EQ(rig.findings.records().size(), 1U);
  const FindingRecord& record = rig.findings.records()[0];
  EXPECT_EQ(record.kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(record.site.instruction, 3U);
  EXPECT_EQ(record.site.thread, 31U);
  EXPECT_EQ(record.site.access, AccessKind::kRead);
  EXPECT_EQ(record.address, base + 124);
  EXPECT_EQ(record.count, 1U);
  const auto nearest = rig.memory->Nearest(record.address);
  ASSERT_TRUE(nearest.has_value());
  EXPECT_EQ(nearest->address, base);
  EXPECT_EQ(nearest->size_bytes, 124U);
  EXPECT_EQ(nearest->distance_bytes, 1);
  EXPECT_EQ(rig.memory->Nearest(base - 4)->distance_bytes, -4);
  EXPECT_EQ(rig.memory->Nearest(base + 8)->distance_bytes, 0);
}

TEST(Memcheck, NullAndHostPointersEndTheLaunch) {
  int local = 0;
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{16},
                                      reinterpret_cast<std::uint64_t>(&local) & ~std::uint64_t{15},
                                      ~std::uint64_t{15}, std::uint64_t{0x3000'0000'0000} - 16}) {
    for (const Checking checking : {Checking::kOn, Checking::kOff}) {
      LaunchRig rig({.checking = checking});
      Filled(rig, 128);
      rig.Begin();
      EXPECT_FALSE(rig.Run(rig.warp(), Store(Space::kGlobal, Type::kU32, 4), 0, kAllLanes,
                           [&](auto) { return address; }));
      EXPECT_EQ(rig.workers[0].fault.error, 700);
      EXPECT_EQ(rig.warp().stop, Stop::kFault);
      if (checking == Checking::kOff) {
        continue;
      }
      ASSERT_EQ(rig.workers[0].findings.records().size(), 1U);
      EXPECT_EQ(rig.workers[0].findings.records()[0].kind, FindingKind::kInvalidAddress);
      EXPECT_EQ(rig.workers[0].findings.records()[0].count, 32U);
    }
  }
}

TEST(Memcheck, FindsMisalignedUseAfterFreeAndWritesToConstants) {
  LaunchRig rig({});
  const std::uint64_t base = Filled(rig, 4096);
  const std::uint64_t freed = Filled(rig, 4096);
  ASSERT_TRUE(rig.memory->Free(freed).has_value());
  const std::uint64_t constant =
      *rig.memory->AllocateVariable("table", 256, Allocation::Writable::kNo);
  rig.Begin();
  EXPECT_TRUE(rig.Run(rig.warp(), Load(Space::kGlobal, Type::kU32), 0, kAllLanes,
                      [&](auto l) { return freed + 4 * l; }));
  EXPECT_TRUE(rig.Run(rig.warp(), Load(Space::kConst, Type::kU32), 4, kAllLanes,
                      [&](auto l) { return constant + 4 * l; }));
  EXPECT_FALSE(rig.Run(rig.warp(), Store(Space::kGlobal, Type::kU32), 1, 1U,
                       [&](auto) { return constant; }));
  EXPECT_EQ(rig.workers[0].fault.error, 700);
  rig.workers[0].fault = {};
  EXPECT_FALSE(rig.Run(rig.warp(), Load(Space::kGlobal, Type::kU32), 2, kAllLanes,
                       [&](auto l) { return base + 2 + 4 * l; }));
  EXPECT_EQ(rig.workers[0].fault.error, 716);
  const auto& records = rig.workers[0].findings.records();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].kind, FindingKind::kUseAfterFree);
  EXPECT_EQ(records[1].kind, FindingKind::kInvalidAddress);
  EXPECT_EQ(records[2].kind, FindingKind::kMisaligned);
}

// They are counted nowhere: what they read elsewhere would be free.
TEST(Memcheck, ConstLoadsReachConstantsAlone) {
  struct Layout {
    LaneMask lanes;
    std::function<std::uint64_t(std::uint32_t, std::uint32_t)> offset;
  };
  const std::vector<Layout> layouts = {
      {kAllLanes, [](auto l, auto size) { return l * size; }},
      {0x0ff0U, [](auto l, auto size) { return l * size; }},
      {kAllLanes, [](auto, auto size) { return 3 * size; }},
      {1U << 9, [](auto, auto) { return 0; }},
      {kAllLanes, [](auto l, auto size) { return l * 7 % 32 * size; }},
      {0x8001U, [](auto l, auto size) { return (31 - l) * size; }}};
  for (const auto& [type, vector] : std::vector<std::pair<Type, std::uint32_t>>{{Type::kU8, 1},
                                                                                {Type::kS8, 4},
                                                                                {Type::kU16, 1},
                                                                                {Type::kU32, 1},
                                                                                {Type::kU32, 4},
                                                                                {Type::kU64, 1},
                                                                                {Type::kU64, 2}}) {
    for (const Layout& layout : layouts) {
      for (const Checking checking : {Checking::kOn, Checking::kOff}) {
        for (const bool cached : {false, true}) {
          const std::uint32_t size = ptx::SizeOf(type) * vector;
          LaunchRig rig({.checking = checking});
          const std::uint64_t data = Filled(rig, 4096);
          const std::uint64_t constant =
              *rig.memory->AllocateVariable("table", 4096, Allocation::Writable::kNo);
          rig.Begin();
          const ptx::Instruction load = Load(Space::kConst, type, vector);
          if (cached) {
            ASSERT_TRUE(rig.Run(rig.warp(), load, 0, layout.lanes, [&](auto l) {
              return constant + layout.offset(l, size);
            })) << size;
            ASSERT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
          }
          EXPECT_FALSE(rig.Run(rig.warp(), load, 0, layout.lanes, [&](auto l) {
            return data + layout.offset(l, size);
          })) << size;
          EXPECT_EQ(rig.workers[0].fault.error, 700);
          EXPECT_THAT(rig.workers[0].fault.detail,
                      testing::HasSubstr("Invalid __constant__ read of size"));
          if (checking == Checking::kOn) {
            EXPECT_EQ(Kinds(rig.workers[0].findings), std::vector{FindingKind::kInvalidAddress});
          }
        }
      }
    }
  }
}

TEST(Memcheck, ConstLoadsOfWhichOneLaneStraysEndTheLaunch) {
  for (const Checking checking : {Checking::kOn, Checking::kOff}) {
    LaunchRig rig({.checking = checking});
    const std::uint64_t data = Filled(rig, 4096);
    const std::uint64_t freed = Filled(rig, 4096);
    ASSERT_TRUE(rig.memory->Free(freed).has_value());
    const std::uint64_t constant =
        *rig.memory->AllocateVariable("table", 256, Allocation::Writable::kNo);
    rig.Begin();
    for (const std::uint64_t stray : {data, freed, constant + 256, std::uint64_t{0}}) {
      rig.workers[0].fault = {};
      EXPECT_FALSE(rig.Run(rig.warp(), Load(Space::kConst), 0, kAllLanes,
                           [&](auto l) { return l == 17 ? stray : constant + 4 * l; }));
      EXPECT_EQ(rig.workers[0].fault.error, 700);
    }
    // Constants have addresses of device memory too, and loads that name no space are counted.
    EXPECT_TRUE(rig.Run(rig.warp(), Load(Space::kGeneric), 1, kAllLanes,
                        [&](auto l) { return constant + 4 * l; }));
    EXPECT_EQ(rig.Counters(1).sectors, 4U);
  }
}

TEST(Initcheck, FindsBytesThatNobodyWrote) {
  LaunchRig rig({});
  const std::uint64_t base = *rig.memory->Allocate(4096);
  rig.Begin();
  Warp& warp = rig.warp();
  const auto at = [&](std::uint32_t l) { return base + 4 * l; };
  ASSERT_TRUE(rig.Run(warp, Store(Space::kGlobal, Type::kU32), 0, 0x0fffffffU, at));
  ASSERT_TRUE(rig.Run(warp, Load(Space::kGlobal, Type::kU32), 1, 0x0fffffffU, at));
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  ASSERT_TRUE(rig.Run(warp, Load(Space::kGlobal, Type::kU32), 2, kAllLanes, at));
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[31], rig.memory->poison());
  ASSERT_EQ(rig.workers[0].findings.records().size(), 1U);
  const FindingRecord& record = rig.workers[0].findings.records()[0];
  EXPECT_EQ(record.kind, FindingKind::kUninitialized);
  EXPECT_EQ(record.site.thread, 28U);
  EXPECT_EQ(record.count, 4U);
  // A vector of which a part was written is only suspect.
  ASSERT_TRUE(
      rig.Run(warp, Store(Space::kGlobal, Type::kU32), 0, 1U, [&](auto) { return base + 1024; }));
  ASSERT_TRUE(
      rig.Run(warp, Load(Space::kGlobal, Type::kU32, 4), 3, 1U, [&](auto) { return base + 1024; }));
  EXPECT_EQ(rig.workers[0].findings.records()[1].severity, Severity::kWarning);
}

TEST(LocalAccess, IsInterleavedCountedAndChecked) {
  LaunchRig rig({.local_bytes = 64});
  rig.Begin();
  Warp& warp = rig.warp();
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    LaunchRig::Slot<std::uint64_t>(warp, 0)[lane] = 0x1111111100000000U * (lane % 4) + lane;
  }
  const auto at = [](std::uint32_t) { return 8; };
  ASSERT_TRUE(rig.Run(warp, Store(Space::kLocal, Type::kU64), 0, kAllLanes, at));
  EXPECT_EQ(rig.Counters(0).sectors, 8U);
  ASSERT_TRUE(rig.Run(warp, Load(Space::kGeneric, Type::kU64), 1, kAllLanes,
                      [](auto) { return kLocalWindow + 8; }));
  EXPECT_EQ(LaunchRig::Slot<std::uint64_t>(warp, 0)[7], 0x3333333300000007U);
  ASSERT_TRUE(rig.Run(warp, Load(Space::kLocal, Type::kU16), 2, 0xff00U, [](auto) { return 10; }));
  EXPECT_EQ(rig.Counters(2).sectors, 1U);
  std::uint32_t word = 0;
  std::memcpy(&word, warp.local + (2 * 32 + 5) * 4, 4);
  EXPECT_EQ(word, 5U);
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  ASSERT_TRUE(
      rig.Run(warp, Load(Space::kLocal, Type::kU32), 3, kAllLanes, [](auto) { return 16; }));
  ASSERT_EQ(rig.workers[0].findings.records().size(), 1U);
  EXPECT_EQ(rig.workers[0].findings.records()[0].kind, FindingKind::kUninitialized);
  EXPECT_FALSE(
      rig.Run(warp, Load(Space::kLocal, Type::kU32), 4, kAllLanes, [](auto) { return 64; }));
  EXPECT_EQ(rig.workers[0].findings.records()[1].kind, FindingKind::kOutOfBounds);
}

TEST(ParameterAccess, SplatsAndIndexes) {
  LaunchRig rig({});
  const std::array<std::uint32_t, 4> parameters = {10, 20, 30, 40};
  rig.launch.parameters = reinterpret_cast<const std::byte*>(parameters.data());
  rig.launch.parameter_bytes = sizeof(parameters);
  rig.Begin();
  Warp& warp = rig.warp();
  ASSERT_TRUE(rig.Run(warp, Load(Space::kParam, Type::kU32), 0, kAllLanes, [](auto) { return 8; }));
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[17], 30U);
  ASSERT_TRUE(rig.Run(warp, Load(Space::kParam, Type::kU32), 0, kAllLanes,
                      [](auto l) { return l % 4 * 4; }));
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[7], 40U);
  EXPECT_FALSE(
      rig.Run(warp, Load(Space::kParam, Type::kU32), 0, kAllLanes, [](auto) { return 16; }));
  EXPECT_EQ(rig.workers[0].fault.error, 700);
}

TEST(Atomics, AddInOrderOfLanes) {
  for (const BlockOrder order : {BlockOrder::kIndependent, BlockOrder::kSequential}) {
    LaunchRig rig({.shared_bytes = 128, .order = order});
    const std::uint64_t base = Filled(rig, 128);
    ASSERT_TRUE(rig.memory->Fill(base, std::vector<std::byte>(1), 128).has_value());
    rig.Begin();
    Warp& warp = rig.warp();
    const auto add = LaunchRig::Make(Opcode::kAtom, Space::kGlobal, Type::kU32, 1,
                                     [](auto& i) { i.atomic_op = ptx::AtomicOp::kAdd; });
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      LaunchRig::Slot<std::uint32_t>(warp, 1)[lane] = 2;
    }
    ASSERT_TRUE(rig.Run(warp, add, 0, kAllLanes, [&](auto l) { return base + 4 * (l % 2); }));
    EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[7], 6U);
    ASSERT_TRUE(rig.Run(warp, add, 0, 0xffU, [&](auto) { return base; }));
    EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[0], 32U);
    EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[7], 46U);
    const LaunchCounters counters = rig.Finish();
    EXPECT_EQ(counters.compulsory_read_bytes, 32U);
    EXPECT_EQ(counters.compulsory_write_bytes, 32U);
    EXPECT_THAT(rig.findings.records(), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace assay::gpu
