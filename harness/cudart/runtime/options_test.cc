// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::gpu::runtime {
namespace {

using ::testing::HasSubstr;

TEST(RunOptions, ReadsWhatItWrote) {
  RunOptions options;
  options.device.model = A100();
  options.device.schedule = Schedule::kRandom;
  options.device.seed = ~std::uint64_t{0};
  options.device.checking = Checking::kOff;
  options.device.workers = 3;
  options.device.approximation = Approximation::kPerturbed;
  options.device.instruction_limit = 12'345;
  options.device.memory_limit_bytes = std::uint64_t{1} << 40;
  options.leak_check = LeakCheck::kOn;
  options.report_fd = 7;
  const auto read = FromJson(ToJson(options));
  ASSERT_TRUE(read) << ToString(read.error());
  EXPECT_EQ(read->device.model.id, "a100");
  EXPECT_EQ(read->device.schedule, Schedule::kRandom);
  EXPECT_EQ(read->device.seed, ~std::uint64_t{0});
  EXPECT_EQ(read->device.checking, Checking::kOff);
  EXPECT_EQ(read->device.workers, 3U);
  EXPECT_EQ(read->device.approximation, Approximation::kPerturbed);
  EXPECT_EQ(read->device.instruction_limit, 12'345U);
  EXPECT_EQ(read->device.memory_limit_bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(read->leak_check, LeakCheck::kOn);
  EXPECT_EQ(read->report_fd, 7);
}

TEST(RunOptions, KeepsDefaultsOfMissingKeys) {
  const auto read = FromJson("{}");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->device.model.id, "h100");
  EXPECT_EQ(read->device.checking, Checking::kOn);
  EXPECT_EQ(read->leak_check, LeakCheck::kOff);
  EXPECT_EQ(read->report_fd, -1);
}

TEST(RunOptions, NamesWhatIsWrong) {
  const auto cause = [](std::string_view text) {
    const auto read = FromJson(text);
    return read ? "read" : ToString(read.error());
  };
  EXPECT_THAT(cause("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(cause("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(cause(R"({"gpu":"tpu"})"), HasSubstr("one of a100"));
  EXPECT_THAT(cause(R"({"schedule":"upwards"})"), HasSubstr("ascending, reversed or random"));
  EXPECT_THAT(cause(R"({"seed":-1})"), HasSubstr("\"seed\" is -1"));
  EXPECT_THAT(cause(R"({"seed":1.5})"), HasSubstr("\"seed\" is 1.5"));
  EXPECT_THAT(cause(R"({"workers":4294967296})"), HasSubstr("0 to 4294967295"));
  EXPECT_THAT(cause(R"({"checks":1})"), HasSubstr("true or false"));
  EXPECT_THAT(cause(R"({"chekcs":true})"), HasSubstr("unknown key \"chekcs\""));
}

}  // namespace
}  // namespace assay::gpu::runtime
