// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PROCESS_PROCESSORS_H_
#define ASSAY_PROCESS_PROCESSORS_H_

#include <vector>

namespace assay {

/// The processors this process may use, in increasing order; {0} where the system does not say.
[[nodiscard]] std::vector<int> UsableProcessors();

}  // namespace assay

#endif  // ASSAY_PROCESS_PROCESSORS_H_
