// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/device/device_rig.h"

namespace assay::gpu {
namespace {

using testing::HasSubstr;

constexpr std::string_view kAdd = R"(
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $done;
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
$done:
  ret;
})";

TEST(Device, AddsVectorsAndCounts) {
  DeviceRig gpu(kAdd, {});
  std::vector<float> a(1000);
  std::iota(a.begin(), a.end(), 0.0F);
  const std::vector<float> b(1000, 0.5F);
  const std::uint64_t c = gpu.Upload(std::vector<float>(1000));
  const LaunchOutcome outcome =
      gpu.Launch("add", 8, 128, gpu.Upload(a), gpu.Upload(b), c, std::uint32_t{1000});
  ASSERT_EQ(outcome.error, 0) << outcome.detail;
  const auto sum = gpu.Download<float>(c, 1000);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_EQ(sum[i], static_cast<float>(i) + 0.5F);
  }
  EXPECT_TRUE(gpu.last().findings.empty());
  const LaunchCounters& counters = gpu.last().counters;
  EXPECT_EQ(counters.global_load.bytes, 2 * 4000U);
  EXPECT_EQ(counters.global_store.bytes, 4000U);
  EXPECT_EQ(counters.global_load.requests, 2 * 32U);
  EXPECT_EQ(counters.global_load.sectors, 2 * 125U);
  EXPECT_EQ(counters.compulsory_read_bytes, 8000U);
  EXPECT_EQ(counters.compulsory_write_bytes, 4000U);
  EXPECT_EQ(counters.divergent_branches, 1U);
  // Ten instructions and ret for all, nine more for those in range.
  EXPECT_EQ(counters.thread_instructions, 1024 * 10U + 1000 * 8U + 1024U);
  EXPECT_GT(gpu.last().modelled_time_ns, 0);
}

constexpr std::string_view kReverse = R"(
.visible .entry reverse(.param .u64 data) {
  .reg .b32 %r<8>; .reg .b64 %rd<6>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x; mov.u32 %r7, %ntid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  mov.u32 %r3, tile; shl.b32 %r4, %r1, 2; add.s32 %r4, %r3, %r4;
  st.shared.u32 [%r4], %r2;
  bar.sync 0;
  sub.s32 %r5, %r7, %r1; shl.b32 %r5, %r5, 2; add.s32 %r5, %r3, %r5;
  ld.shared.u32 %r6, [%r5+-4];
  st.global.u32 [%rd3], %r6;
  ret;
})";

TEST(Device, WarpsWaitAtBarriersUnderEverySchedule) {
  for (const Schedule schedule : {Schedule::kAscending, Schedule::kReversed, Schedule::kRandom}) {
    DeviceRig gpu(kReverse, {.schedule = schedule, .seed = 5});
    std::vector<std::uint32_t> values(256);
    std::iota(values.begin(), values.end(), 0U);
    const std::uint64_t data = gpu.Upload(values);
    ASSERT_EQ(gpu.Launch("reverse", 1, 256, data).error, 0);
    const auto reversed = gpu.Download<std::uint32_t>(data, 256);
    for (std::uint32_t i = 0; i < 256; ++i) {
      EXPECT_EQ(reversed[i], 255 - i);
    }
    EXPECT_TRUE(gpu.last().findings.empty());
    EXPECT_EQ(gpu.last().counters.barriers, 8U);
  }
}

TEST(Device, FindsTheSharedRaceThatAMissingBarrierMakes) {
  std::string racy(kReverse);
  racy.erase(racy.find("bar.sync 0;"), std::strlen("bar.sync 0;"));
  DeviceRig gpu(racy, {});
  const std::uint64_t data = gpu.Upload(std::vector<std::uint32_t>(256));
  gpu.Launch("reverse", 1, 256, data);
  ASSERT_FALSE(gpu.last().findings.empty());
  for (const Finding& finding : gpu.last().findings) {
    EXPECT_TRUE(finding.checker == Checker::kRacecheck || finding.checker == Checker::kInitcheck);
  }
}

// Each lane loops as often as its number says, then meets the others at a shuffle.
constexpr std::string_view kLoops = R"(
.visible .entry loops(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
$loop:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra $end;
  add.u32 %r2, %r2, 1;
  bra.uni $loop;
$end:
  shfl.sync.idx.b32 %r3|%p2, %r2, 31, 31, -1;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})";

TEST(Device, LanesThatLoopDifferentlyMeetAgain) {
  DeviceRig gpu(kLoops, {});
  const std::uint64_t out = gpu.Upload(std::vector<std::uint32_t>(32));
  ASSERT_EQ(gpu.Launch("loops", 1, 32, out).error, 0);
  EXPECT_EQ(gpu.Download<std::uint32_t>(out, 32), std::vector<std::uint32_t>(32, 31));
  EXPECT_TRUE(gpu.last().findings.empty());
  EXPECT_EQ(gpu.last().counters.shuffles, 1U);
  EXPECT_EQ(gpu.last().counters.divergent_branches, 31U);
}

TEST(Device, GivesTheSameOnAnyNumberOfCores) {
  std::vector<LaunchReport> reports;
  for (const unsigned workers : {1U, 2U, 4U}) {
    DeviceRig gpu(kAdd, {.workers = workers});
    const std::vector<float> a(10000, 1.0F);
    const std::uint64_t c = gpu.device().Allocate(40000).value();
    // One more than there is: the last thread in range reads and writes past the end.
    gpu.Launch("add", 79, 128, gpu.Upload(a), gpu.Upload(a), c, std::uint32_t{10001});
    reports.push_back(gpu.last());
    ASSERT_EQ(gpu.last().findings.size(), 3U);
    EXPECT_EQ(gpu.last().findings[0].kind, FindingKind::kOutOfBounds);
    EXPECT_EQ(gpu.last().findings[0].nearest->distance_bytes, 1);
  }
  for (const LaunchReport& report : reports) {
    EXPECT_EQ(report.counters, reports[0].counters);
    EXPECT_EQ(report.findings.size(), reports[0].findings.size());
    EXPECT_EQ(report.findings[0].site, reports[0].findings[0].site);
    EXPECT_EQ(report.findings[0].count, reports[0].findings[0].count);
  }
}

TEST(Device, EndsAnEndlessKernel) {
  DeviceRig gpu(".visible .entry spin() { $l: bra.uni $l; }", {.instruction_limit = 10'000'000});
  const LaunchOutcome outcome = gpu.Launch("spin", 4, 64);
  EXPECT_EQ(outcome.error, 702);
  EXPECT_TRUE(outcome.sticky);
  ASSERT_EQ(gpu.last().findings.size(), 1U);
  EXPECT_EQ(gpu.last().findings[0].kind, FindingKind::kWatchdog);
}

TEST(Device, EndsAKernelThatMeetsAtABarrierForEver) {
  DeviceRig gpu(".visible .entry meet() { $l: bar.sync 0; bra.uni $l; }",
                {.instruction_limit = 1'000'000});
  EXPECT_EQ(gpu.Launch("meet", 1, 64).error, 702);
}

TEST(Device, EndsAKernelWhenAskedAndSaysWhereItWas) {
  for (const unsigned workers : {1U, 4U}) {
    StopRequest stop;
    DeviceRig gpu(".visible .entry spin() { $l: bra.uni $l; }",
                  {.workers = workers, .stop = &stop});
    stop.signal = 2;
    EXPECT_EQ(gpu.Launch("spin", 4, 64).error, 702);
    EXPECT_TRUE(stop.kernel_runs);
    ASSERT_EQ(gpu.last().findings.size(), 1U);
    EXPECT_EQ(gpu.last().findings[0].kind, FindingKind::kWatchdog);
    EXPECT_THAT(gpu.last().findings[0].note, HasSubstr("was asked to stop"));
    EXPECT_EQ(gpu.last().findings[0].site.instruction, "bra.uni");
  }
}

TEST(Device, TheInstructionLimitIsTheLaunchsOnAnyNumberOfCores) {
  constexpr std::string_view kThousandTurns = R"(
.visible .entry turns() {
  .reg .pred %p<2>; .reg .b32 %r<2>;
  mov.u32 %r1, 0;
$loop:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 1000;
  @%p1 bra $loop;
  ret;
})";
  // Of which each worker alone would stay below the lower limit.
  constexpr std::uint32_t kBlocks = 64;
  constexpr std::uint64_t kInstructionsPerBlock = 32 * 3'000;
  for (const unsigned workers : {1U, 2U, 4U}) {
    const std::uint64_t all = kBlocks * kInstructionsPerBlock;
    DeviceRig enough(kThousandTurns, {.workers = workers, .instruction_limit = all * 11 / 10});
    DeviceRig too_few(kThousandTurns, {.workers = workers, .instruction_limit = all * 9 / 10});
    EXPECT_EQ(enough.Launch("turns", kBlocks, 32).error, 0) << workers;
    EXPECT_EQ(too_few.Launch("turns", kBlocks, 32).error, 702) << workers;
  }
}

TEST(Device, TellsADeadlockAndWhoWaitsWhere) {
  DeviceRig gpu(R"(
.visible .entry stuck() {
  .reg .pred %p<2>; .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra $one;
  bar.sync 1, 64;
  ret;
$one:
  bar.sync 2, 64;
  ret;
})",
                {});
  EXPECT_EQ(gpu.Launch("stuck", 1, 64).error, 702);
  ASSERT_EQ(gpu.last().findings.size(), 1U);
  EXPECT_EQ(gpu.last().findings[0].kind, FindingKind::kDeadlock);
  EXPECT_THAT(gpu.last().findings[0].note, HasSubstr("warp 1"));
}

TEST(Device, AWildAddressEndsTheLaunchWith700) {
  DeviceRig gpu(R"(
.visible .entry wild(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd1], %r1;
  ret;
})",
                {});
  int host = 0;
  for (const std::uint64_t address : {std::uint64_t{0}, reinterpret_cast<std::uint64_t>(&host),
                                      ~std::uint64_t{15}, std::uint64_t{1} << 60}) {
    const LaunchOutcome outcome = gpu.Launch("wild", 1, 32, address);
    EXPECT_EQ(outcome.error, 700) << std::hex << address;
    EXPECT_TRUE(outcome.sticky);
  }
}

TEST(Device, RefusesBadLaunches) {
  DeviceRig gpu(kAdd, {});
  const auto kernel = gpu.device().FindKernel(gpu.module(), "add");
  ASSERT_TRUE(kernel);
  LaunchRequest request{.kernel = kernel->id};
  request.parameters.resize(kernel->parameter_bytes);
  const auto error_with = [&](auto change) {
    LaunchRequest changed = request;
    change(changed);
    return gpu.device().Launch(changed).error;
  };
  EXPECT_EQ(error_with([](auto& r) { r.grid = {0, 1, 1}; }), 9);
  EXPECT_EQ(error_with([](auto& r) { r.block = {2048, 1, 1}; }), 9);
  EXPECT_EQ(error_with([](auto& r) { r.block = {32, 64, 1}; }), 9);
  EXPECT_EQ(error_with([](auto& r) { r.grid = {1, 70000, 1}; }), 9);
  EXPECT_EQ(error_with([](auto& r) { r.dynamic_shared_bytes = 64 * 1024; }), 1);
  EXPECT_EQ(error_with([](auto& r) { r.parameters.pop_back(); }), 1);
  EXPECT_EQ(error_with([](auto& r) { r.kernel = 99; }), 98);
}

TEST(Device, NamesWhatItDoesNotSupport) {
  DeviceRig gpu(".visible .entry odd() { .reg .b32 %r<3>; wgmma.fence.sync.aligned; ret; }", {});
  const LaunchOutcome outcome = gpu.Launch("odd", 1, 32);
  EXPECT_EQ(outcome.error, 801);
  EXPECT_THAT(outcome.detail, HasSubstr("wgmma.fence"));
}

TEST(Device, FillsModuleVariables) {
  DeviceRig gpu(R"(
.global .align 4 .u32 counter = 41;
.const .align 4 .b8 table[8] = {1, 2, 3, 4};
.global .align 8 .u64 pointer = counter;
.visible .entry bump() {
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.global.u64 %rd1, [pointer];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  ret;
})",
                {});
  EXPECT_EQ(gpu.Launch("bump", 1, 1).error, 0);
  const auto counter = gpu.device().FindVariable(gpu.module(), "counter");
  ASSERT_TRUE(counter);
  EXPECT_EQ(gpu.Download<std::uint32_t>(counter->address, 1)[0], 42U);
  const auto table = gpu.device().FindVariable(gpu.module(), "table");
  ASSERT_TRUE(table);
  EXPECT_EQ(gpu.Download<std::uint8_t>(table->address, 8),
            (std::vector<std::uint8_t>{1, 2, 3, 4, 0, 0, 0, 0}));
  EXPECT_FALSE(gpu.device().FindVariable(gpu.module(), "nothing"));
}

// Neither does any spelling of a load read device memory that no counter has.
TEST(Device, ReadsOfDeviceMemoryAreCountedOrEndTheLaunch) {
  constexpr std::string_view kItems = R"(
.const .align 16 .b8 table[64] = {1, 2, 3};
.visible .entry k(.param .u64 at) {
  .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .b16 %rs<2>; .reg .f32 %f<5>;
  ld.param.u64 %rd1, [at];
  cvta.to.const.u64 %rd2, %rd1;
  )";
  struct Case {
    std::string load;
    bool of_constants;  // Then from nowhere else, else from device memory too.
    std::uint64_t bytes;
  };
  const std::vector<Case> cases = {{"ld.const.u8 %rs1, [%rd2]", true, 0},
                                   {"ld.const.f32 %f1, [%rd2]", true, 0},
                                   {"ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2+16]", true, 0},
                                   {"ld.const.v2.u64 {%rd3, %rd4}, [%rd2]", true, 0},
                                   {"ld.weak.const.u32 %r1, [%rd2]", true, 0},
                                   {"ld.volatile.const.u32 %r1, [%rd2]", true, 0},
                                   {"ld.u32 %r1, [%rd2]", false, 4},
                                   {"ldu.global.u32 %r1, [%rd1]", false, 4},
                                   {"ldu.u32 %r1, [%rd1]", false, 4},
                                   {"ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]", false, 16},
                                   {"ld.volatile.global.u32 %r1, [%rd1]", false, 4}};
  for (const Case& c : cases) {
    for (const Checking checking : {Checking::kOn, Checking::kOff}) {
      for (const bool constant : {true, false}) {
        DeviceOptions options;
        options.checking = checking;
        DeviceRig gpu(std::string(kItems) + c.load + "; ret; }", options);
        const std::uint64_t at = constant
                                     ? gpu.device().FindVariable(gpu.module(), "table")->address
                                     : gpu.Upload(std::vector<std::uint32_t>(16, 7));
        const LaunchOutcome outcome = gpu.Launch("k", 1, 1, at);
        if (c.of_constants && !constant) {
          EXPECT_EQ(outcome.error, 700) << c.load;
          EXPECT_THAT(outcome.detail, HasSubstr("Invalid __constant__ read")) << c.load;
        } else {
          EXPECT_EQ(outcome.error, 0) << c.load << outcome.detail;
          EXPECT_EQ(gpu.last().counters.global_load.bytes, c.bytes) << c.load;
          EXPECT_EQ(gpu.last().counters.global_load.sectors, c.bytes == 0 ? 0U : 1U) << c.load;
        }
      }
    }
  }
  // Spaces of a thread or a block, where an address of device memory is out of bounds.
  for (const std::string load :
       {"ld.param.u32 %r1, [%rd1]", "ld.shared.u32 %r1, [%rd1]", "ld.local.u32 %r1, [%rd1]",
        "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd1]",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd1]"}) {
    DeviceRig gpu(std::string(kItems) + load + "; ret; }", {});
    const std::uint64_t at = gpu.Upload(std::vector<std::uint32_t>(16, 7));
    EXPECT_EQ(gpu.Launch("k", 1, 32, at).error, 700) << load;
  }
}

TEST(Device, LoadsOfSixteenBytesAreThoseThatWereMade) {
  constexpr std::string_view kItems = R"(
.visible .entry k(.param .u64 at) {
  .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<6>;
  .shared .align 16 .b8 buffer[512];
  ld.param.u64 %rd1, [at];
  mov.u32 %r1, %tid.x; mov.u32 %r2, buffer;
  mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
  mad.lo.u32 %r3, %r1, 16, %r2;
  setp.lt.u32 %p1, %r1, 8; setp.gt.u32 %p2, %r1, 99;
  mov.u32 %r4, 0; selp.u32 %r5, 16, 0, %p1;
  ld.global.f32 %f1, [%rd3];
  )";
  const std::vector<std::pair<std::string, std::uint64_t>> cases = {
      {"ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3]", 512},
      {"ld.global.nc.v2.u64 {%rd4, %rd5}, [%rd3]", 512},
      {"ld.volatile.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3]", 512},
      {"ldu.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3]", 512},
      {"@%p1 ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3]", 128},
      {"@%p2 ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3]", 0},
      {"ld.global.v2.f32 {%f2, %f3}, [%rd3]", 0},
      {"ld.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3]", 0},
      {"ld.shared.v4.f32 {%f2, %f3, %f4, %f5}, [%r3]", 0},
      {"st.global.v4.f32 [%rd3], {%f1, %f1, %f1, %f1}", 0},
      {"cp.async.cg.shared.global [%r3], [%rd3], 16", 512},
      {"cp.async.ca.shared.global [%r3], [%rd3], 16", 512},
      {"cp.async.ca.shared.global [%r3], [%rd3], 8", 0},
      {"@%p1 cp.async.cg.shared.global [%r3], [%rd3], 16", 128},
      {"@%p2 cp.async.cg.shared.global [%r3], [%rd3], 16", 0},
      // Zeros instead of bytes from device memory: all, and in all lanes but eight.
      {"cp.async.cg.shared.global [%r3], [%rd3], 16, %r4", 0},
      {"cp.async.cg.shared.global [%r3], [%rd3], 16, %r5", 128}};
  for (const auto& [instruction, bytes] : cases) {
    DeviceRig gpu(std::string(kItems) + instruction + "; cp.async.wait_all; ret; }", {});
    const LaunchOutcome outcome = gpu.Launch("k", 1, 32, gpu.Upload(std::vector<float>(128, 1)));
    EXPECT_EQ(outcome.error, 0) << instruction << outcome.detail;
    EXPECT_EQ(gpu.last().counters.vector16_load_bytes, bytes) << instruction;
    EXPECT_LE(bytes, gpu.last().counters.global_load.bytes) << instruction;
  }
}

// PTX says nothing of it: a kernel held to few registers would seem to need no memory for the rest.
TEST(Device, LocalMemoryIsWithWhatPtxasSpilled) {
  constexpr std::string_view kItems = R"(
.visible .entry none() { ret; }
.visible .entry some() { .local .align 8 .b8 a[32]; ret; })";
  DeviceRig gpu(kItems, {});
  const std::vector<MachineCode> code = {{"none", 32, 96}, {"some", 40, 16}};
  const auto module = gpu.device().LoadModule(ptx::ModuleText(kItems), code);
  ASSERT_TRUE(module);
  for (const auto& [name, registers, local_bytes] :
       std::vector<MachineCode>{{"none", 32, 96}, {"some", 40, 32}}) {
    const auto kernel = gpu.device().FindKernel(*module, name);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->resources.registers_per_thread, registers);
    EXPECT_EQ(kernel->resources.local_bytes, local_bytes);
    const LaunchRequest request{.kernel = kernel->id, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    EXPECT_EQ(gpu.device().Launch(request).error, 0);
    EXPECT_EQ(gpu.last().resources.local_bytes, local_bytes);
  }
}

TEST(Device, LeaksAreWhatWasNeverFreed) {
  DeviceRig gpu(kAdd, {});
  const std::uint64_t kept = gpu.device().Allocate(100).value();
  const std::uint64_t freed = gpu.device().Allocate(200).value();
  EXPECT_TRUE(gpu.device().Free(freed));
  const auto leaks = gpu.device().Leaks();
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(leaks[0].address, kept);
  EXPECT_EQ(leaks[0].nearest->size_bytes, 100U);
  EXPECT_FALSE(gpu.device().Free(freed));
  EXPECT_EQ(gpu.last().findings.at(0).kind, FindingKind::kInvalidFree);
}

TEST(Device, ATerabyteIsOutOfMemory) {
  DeviceRig gpu(kAdd, {});
  const auto much = gpu.device().Allocate(std::uint64_t{1} << 40);
  ASSERT_FALSE(much);
  EXPECT_EQ(much.error().code, 2);
}

TEST(Device, BarrierReductionsReachEveryThread) {
  DeviceRig gpu(R"(
.visible .entry votes(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 40;
  barrier.cta.red.popc.u32 %r2, 0, %p1;
  barrier.cta.red.and.pred %p2, 0, %p1;
  barrier.cta.red.or.pred %p3, 0, !%p1;
  selp.u32 %r3, 1000, 0, %p2; selp.u32 %r4, 2000, 0, %p3;
  add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})",
                {});
  const std::uint64_t out = gpu.Upload(std::vector<std::uint32_t>(64));
  ASSERT_EQ(gpu.Launch("votes", 1, 64, out).error, 0);
  EXPECT_EQ(gpu.Download<std::uint32_t>(out, 64), std::vector<std::uint32_t>(64, 2040));
}

}  // namespace
}  // namespace assay::gpu
