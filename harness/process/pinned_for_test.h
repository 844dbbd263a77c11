// SPDX-License-Identifier: Apache-2.0
// What tests of processors share.
#ifndef ASSAY_PROCESS_PINNED_FOR_TEST_H_
#define ASSAY_PROCESS_PINNED_FOR_TEST_H_

#include <sched.h>

#include <cstddef>

namespace assay {

/// While it lives, this thread may use one processor alone; what it was pinned to before, again.
class Pinned {
 public:
  explicit Pinned(int processor) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(processor), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~Pinned() { ::sched_setaffinity(0, sizeof before_, &before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace assay

#endif  // ASSAY_PROCESS_PINNED_FOR_TEST_H_
