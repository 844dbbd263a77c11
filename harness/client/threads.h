// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_THREADS_H_
#define ASSAY_CLIENT_THREADS_H_

#include <sys/types.h>

namespace assay {

/// Whether a thread of the process runs now or waits for a processor to do so. False when the
/// process is gone.
[[nodiscard]] bool HasRunnableThread(pid_t pid);

}  // namespace assay

#endif  // ASSAY_CLIENT_THREADS_H_
