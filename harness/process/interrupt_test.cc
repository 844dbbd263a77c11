// SPDX-License-Identifier: Apache-2.0
#include "process/interrupt.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

namespace assay {
namespace {

TEST(InterruptTest, NothingIsAskedAtFirst) {
  const InterruptScope scope;
  EXPECT_EQ(InterruptSignal(), 0);
  EXPECT_TRUE(CheckInterrupt());
  pollfd event = {.fd = InterruptEventFd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&event, 1, 0), 0);
}

TEST(InterruptTest, EachSignalAsksToStop) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const InterruptScope scope;
    ASSERT_EQ(::raise(signal), 0);
    EXPECT_EQ(InterruptSignal(), signal);
    EXPECT_FALSE(CheckInterrupt());
    pollfd event = {.fd = InterruptEventFd(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&event, 1, 0), 1);
  }
}

TEST(InterruptTest, EndOfTheScopeRestoresWhatWas) {
  {
    const InterruptScope scope;
  }
  EXPECT_EQ(InterruptEventFd(), -1);
  struct sigaction now = {};
  ASSERT_EQ(::sigaction(SIGTERM, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

TEST(InterruptTest, SecondSignalKills) {
  EXPECT_EXIT(
      {
        const InterruptScope scope;
        (void)::raise(SIGINT);
        (void)::raise(SIGINT);
        ::_exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace assay
