// SPDX-License-Identifier: Apache-2.0
// Honest hosts: what goes out comes back.
#include "client/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "client/host_pool.h"
#include "client/test_hosts.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ToyHost : public testing::Test {
 protected:
  int Status(const Invocation& invocation) {
    const auto reply = host_.Call(invocation);
    if (!reply) {
      ADD_FAILURE() << reply.error().detail;
      return -1000;
    }
    return reply->status;
  }

  Host host_ = StartHost(OptionsFor("toy"));
};

TEST_F(ToyHost, FunctionThatIsMissingIsNotInTheTable) {
  EXPECT_TRUE(host_.Has("status"));
  EXPECT_FALSE(host_.Has("missing"));
  Invocation call("missing");
  const auto reply = host_.Call(call.Scalar(1));
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().verdict, Verdict::kRuntimeError);
  EXPECT_EQ(reply.error().detail, "has no operation missing");
  EXPECT_TRUE(host_.alive());
}

TEST_F(ToyHost, StatusComesBack) {
  for (const int status : {0, 1, -7, 1'000'000}) {
    Invocation call("status");
    EXPECT_EQ(Status(call.Scalar(status)), status);
  }
}

}  // namespace
}  // namespace assay
