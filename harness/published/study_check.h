// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_STUDY_CHECK_H_
#define ASSAY_PUBLISHED_STUDY_CHECK_H_

#include "base/error.h"
#include "published/study.h"
#include "spec/repository.h"

namespace assay {

/// What of a study does not hold, each with its line: a model or challenge that the repository does
/// not have or the study does not name, a criterion or dimension that the rubric does not have, a
/// row, matchup or disagreement that is there twice, a disagreement about a row that is not there,
/// a passage that stands nowhere in the study.
[[nodiscard]] Errors CheckStudy(const PublishedStudy& study, const Repository& repository);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_STUDY_CHECK_H_
