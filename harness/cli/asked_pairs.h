// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_ASKED_PAIRS_H_
#define ASSAY_CLI_ASKED_PAIRS_H_

#include <vector>

#include "published/study.h"
#include "report/report.h"
#include "spec/checked.h"
#include "spec/repository.h"

namespace assay {

/// Pairs of models whose matchups are shown however many models there are: those that
/// `reports/pairs.yaml` names, which people write and which need not be there,
///
///     schema: 1
///     pairs:
///       - {a: glm-5, b: qwen3.6-27b}
///
/// and those of the studies, whose tables are shown beside what is measured. A file that cannot be
/// read, or that names a model that the repository has not, is at fault.
[[nodiscard]] Checked<std::vector<ModelPair>> ReadAskedPairs(
    const Repository& repository, const std::vector<PublishedStudy>& studies);

}  // namespace assay

#endif  // ASSAY_CLI_ASKED_PAIRS_H_
