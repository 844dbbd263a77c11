// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PROCESS_RETRY_H_
#define ASSAY_PROCESS_RETRY_H_

#include <cerrno>

namespace assay {

/// Calls `system_call` again for as long as a signal interrupts it; gives its result. The one place
/// that knows about EINTR.
template <class SystemCall>
auto RetryOnEintr(SystemCall system_call) {
  for (;;) {
    const auto result = system_call();
    if (result != -1 || errno != EINTR) {
      return result;
    }
  }
}

}  // namespace assay

#endif  // ASSAY_PROCESS_RETRY_H_
