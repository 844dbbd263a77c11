// SPDX-License-Identifier: Apache-2.0
#include "client/run_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  Result<RunFlags> flags;
  std::vector<std::string> left;
};

Parsed Parse(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  Parsed parsed{.flags = ParseRunFlags(&argc, argv.data()), .left = {}};
  for (int i = 0; i < argc; ++i) {
    parsed.left.emplace_back(argv[static_cast<std::size_t>(i)]);
  }
  return parsed;
}

TEST(RunFlags, DeviceIsEmulatedUnlessItIsSaid) {
  EXPECT_EQ(Parse({"suite", "--assay_host=h"}).flags->device, DeviceKind::kEmulated);
  const Parsed parsed =
      Parse({"suite", "--assay_host=h", "--assay_device=cuda", "--assay_device_instructions=1000"});
  ASSERT_TRUE(parsed.flags) << ToString(parsed.flags.error());
  EXPECT_EQ(parsed.flags->device, DeviceKind::kCuda);
  EXPECT_EQ(parsed.flags->device_instructions, 1000U);
  EXPECT_FALSE(Parse({"suite", "--assay_host=h", "--assay_device=opencl"}).flags);
  EXPECT_FALSE(Parse({"suite", "--assay_host=h", "--assay_device_instructions=0"}).flags);
}

TEST(RunFlags, TakesItsOwnAndLeavesTheRest) {
  const Parsed parsed =
      Parse({"suite", "--assay_host=h", "--gtest_filter=A*", "--assay_seed=7", "--assay_level=none",
             "--assay_flavor=sanitized", "--assay_case_limit_ms=250", "--assay_start_limit_ms=150",
             "--assay_run_limit_ms=90000", "--assay_bench_seconds=0.5", "--assay_processors=3,0"});
  ASSERT_TRUE(parsed.flags) << ToString(parsed.flags.error());
  EXPECT_THAT(parsed.left, ElementsAre("suite", "--gtest_filter=A*"));
  EXPECT_EQ(parsed.flags->host, "h");
  EXPECT_EQ(parsed.flags->seed, 7U);
  EXPECT_EQ(parsed.flags->level, SandboxLevel::kNone);
  EXPECT_TRUE(parsed.flags->sanitized);
  EXPECT_EQ(parsed.flags->case_limit, std::chrono::milliseconds(250));
  EXPECT_EQ(HostOptionsFor(*parsed.flags, "h", "s").start_limit, std::chrono::milliseconds(150));
  EXPECT_EQ(parsed.flags->run_limit, std::chrono::seconds(90));
  EXPECT_THAT(parsed.flags->processors, ElementsAre(3, 0));
  EXPECT_EQ(parsed.flags->bench_time, std::chrono::duration<double>(0.5));
}

TEST(RunFlags, ARunOfSeveralHasAnIndexItsBlocksAndWhatIsLeftOut) {
  const Parsed parsed =
      Parse({"bench", "--assay_host=h", "--assay_bench_run=2", "--assay_least_blocks=3",
             "--assay_most_blocks=7", "--assay_left_out=a/1", "--assay_left_out=b"});
  ASSERT_TRUE(parsed.flags) << ToString(parsed.flags.error());
  EXPECT_EQ(parsed.flags->bench_run, 2U);
  EXPECT_EQ(parsed.flags->least_blocks, 3);
  EXPECT_EQ(parsed.flags->most_blocks, 7);
  EXPECT_THAT(parsed.flags->left_out, ElementsAre("a/1", "b"));
  EXPECT_FALSE(Parse({"bench", "--assay_host=h", "--assay_least_blocks=0"}).flags);
}

TEST(RunFlags, TheSandboxIsFullUnlessSaidOtherwise) {
  const Parsed parsed = Parse({"suite", "--assay_host=h"});
  ASSERT_TRUE(parsed.flags);
  EXPECT_EQ(parsed.flags->level, SandboxLevel::kFull);
}

TEST(RunFlags, AMissingHostIsAnError) {
  const Parsed parsed = Parse({"suite"});
  ASSERT_FALSE(parsed.flags);
  EXPECT_THAT(ToString(parsed.flags.error()), HasSubstr("--assay_host"));
}

class BadRunFlag : public testing::TestWithParam<std::string> {};

TEST_P(BadRunFlag, IsNamed) {
  const Parsed parsed = Parse({"suite", "--assay_host=h", GetParam()});
  ASSERT_FALSE(parsed.flags);
  EXPECT_EQ(parsed.flags.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(ToString(parsed.flags.error()), HasSubstr(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, BadRunFlag,
                         testing::Values("--assay_hots=x", "--assay_seed=-1", "--assay_seed=1x",
                                         "--assay_seed=", "--assay_seed", "--assay_level=half",
                                         "--assay_flavor=debug", "--assay_case_limit_ms=0",
                                         "--assay_processors=", "--assay_processors=0,,1",
                                         "--assay_processors=0;1", "--assay_processors=-1",
                                         "--assay_memory_bytes=99999999999999999999",
                                         "--assay_bench_seconds=nan", "--assay_bench_seconds=inf"));

TEST(MixSeed, DependsOnSeedAndName) {
  EXPECT_EQ(MixSeed(1, "A.B"), MixSeed(1, "A.B"));
  EXPECT_NE(MixSeed(1, "A.B"), MixSeed(1, "A.C"));
  EXPECT_NE(MixSeed(1, "A.B"), MixSeed(2, "A.B"));
  EXPECT_NE(MixSeed(0, ""), 0U);
}

TEST(HostOptionsFor, SanitizedHostsGetMoreTime) {
  RunFlags flags;
  flags.case_limit = std::chrono::seconds(2);
  EXPECT_EQ(HostOptionsFor(flags, "h", "s").call_limit, std::chrono::seconds(2));
  flags.sanitized = true;
  EXPECT_EQ(HostOptionsFor(flags, "h", "s").call_limit, std::chrono::seconds(10));
}

TEST(HostOptionsFor, HostsOfDifferentPurposeGetDifferentPoison) {
  RunFlags flags;
  flags.seed = 3;
  EXPECT_NE(HostOptionsFor(flags, "h", "submission").seed, HostOptionsFor(flags, "h", "aa").seed);
}

}  // namespace
}  // namespace assay
