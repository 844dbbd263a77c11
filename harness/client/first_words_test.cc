// SPDX-License-Identifier: Apache-2.0
// Hosts that go wrong before their first call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "client/host.h"
#include "client/test_hosts.h"

namespace assay {
namespace {

struct Expected {
  std::string host;
  Verdict verdict;
  std::string detail;
};

class FirstWords : public testing::TestWithParam<Expected> {};

TEST_P(FirstWords, AreJudged) {
  HostOptions options = OptionsFor(GetParam().host);
  options.start_limit = std::chrono::milliseconds(500);
  const auto host = Host::Start(options);
  ASSERT_FALSE(host.has_value());
  EXPECT_EQ(host.error().verdict, GetParam().verdict) << host.error().detail;
  EXPECT_EQ(host.error().detail, GetParam().detail);
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, FirstWords,
    testing::Values(
        Expected{"exits_early", Verdict::kRuntimeError,
                 "exited with status 0 before it could be asked anything"},
        Expected{"Silent", Verdict::kTimeLimit,
                 "no answer within 500 ms before it could be asked anything"},
        Expected{"Garbage", Verdict::kRejected,
                 "a message of impossible length before it could be asked anything"},
        Expected{"Skips", Verdict::kRejected,
                 "a message out of sequence before it could be asked anything"},
        Expected{"NotAHello", Verdict::kRejected,
                 "malformed hello: its first message is not a hello"},
        Expected{"OldVersion", Verdict::kRejected,
                 "malformed hello: it speaks version 4 of the protocol"},
        Expected{"HugeTable", Verdict::kRejected,
                 "malformed hello: its table of operations does not have the length that it says"},
        Expected{"ShortTable", Verdict::kRejected,
                 "malformed hello: its table of operations does not have the length that it says"},
        Expected{"Empty", Verdict::kRejected,
                 "malformed hello: its first operation is not assay_nop"},
        Expected{"ManyParameters", Verdict::kRejected,
                 "malformed hello: operation other has 33 parameters"},
        Expected{"UnknownParameter", Verdict::kRejected,
                 "malformed hello: operation other has an unknown type of parameter"},
        Expected{"BadName", Verdict::kRejected,
                 "malformed hello: an operation's name is not 1 to 63 letters, digits and "
                 "underscores"},
        Expected{"Twins", Verdict::kRejected,
                 "malformed hello: two operations are called assay_nop"}),
    [](const auto& instance) { return instance.param.host; });

}  // namespace
}  // namespace assay
