// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_ON_ALL_CORES_H_
#define ASSAY_SCORE_ON_ALL_CORES_H_

#include <cstddef>
#include <functional>

namespace assay {

/// Calls `work` once for each number below `count`, from several threads and in no order, and
/// returns when all is done. What is made must not depend on how many threads there are: each call
/// writes to a place of its own. Of what calls throw, one is thrown here.
void OnAllCores(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace assay

#endif  // ASSAY_SCORE_ON_ALL_CORES_H_
