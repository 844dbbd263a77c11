// SPDX-License-Identifier: Apache-2.0
#include "client/threads.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace assay {
namespace {

/// A process of its own, killed with this.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(::fork()) {
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      work();
      ::_exit(0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { End(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void End() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }

 private:
  pid_t pid_;
};

enum class State { kAsleep, kRunnable };

/// Whether it comes to be so.
bool Becomes(State state, pid_t pid) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (HasRunnableThread(pid) != (state == State::kRunnable)) {
    if (std::chrono::steady_clock::now() > give_up) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void Sleep() {
  for (;;) {
    ::pause();
  }
}

void Spin() {
  for (std::atomic<int> turns = 0;; ++turns) {
  }
}

TEST(Threads, OneThatSleepsIsNotRunnable) {
  const Child child(&Sleep);
  EXPECT_TRUE(Becomes(State::kAsleep, child.pid()));
}

TEST(Threads, OneThatWorksIsRunnableUntilItIsStopped) {
  const Child child(&Spin);
  EXPECT_TRUE(Becomes(State::kRunnable, child.pid()));
  ::kill(child.pid(), SIGSTOP);
  EXPECT_TRUE(Becomes(State::kAsleep, child.pid()));
}

TEST(Threads, ANameDecidesNothing) {
  const Child asleep([] {
    ::prctl(PR_SET_NAME, "a) R 1 (b");
    Sleep();
  });
  EXPECT_TRUE(Becomes(State::kAsleep, asleep.pid()));
  const Child at_work([] {
    ::prctl(PR_SET_NAME, "a) S 1 (b");
    Spin();
  });
  EXPECT_TRUE(Becomes(State::kRunnable, at_work.pid()));
}

TEST(Threads, AnyOfThemCounts) {
  const Child others_work([] {
    std::thread(&Sleep).detach();
    std::thread(&Spin).detach();
    Sleep();
  });
  EXPECT_TRUE(Becomes(State::kRunnable, others_work.pid()));
  const Child all_sleep([] {
    std::thread(&Sleep).detach();
    Sleep();
  });
  EXPECT_TRUE(Becomes(State::kAsleep, all_sleep.pid()));
}

// The first thread of a process may end before the others.
TEST(Threads, TheOthersCountWhenTheFirstIsGone) {
  const Child child([] {
    std::thread(&Spin).detach();
    ::pthread_exit(nullptr);
  });
  EXPECT_TRUE(Becomes(State::kRunnable, child.pid()));
}

TEST(Threads, OneThatIsGoneIsNotRunnable) {
  Child child(&Spin);
  const pid_t pid = child.pid();
  child.End();
  EXPECT_FALSE(HasRunnableThread(pid));
}

}  // namespace
}  // namespace assay
