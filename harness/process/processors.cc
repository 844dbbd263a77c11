// SPDX-License-Identifier: Apache-2.0
#include "process/processors.h"

#include <sched.h>

#include <cstddef>

namespace assay {

std::vector<int> UsableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) {
        processors.push_back(processor);
      }
    }
  }
  return processors.empty() ? std::vector<int>{0} : processors;
}

}  // namespace assay
