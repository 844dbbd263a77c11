// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_STUDY_STORE_H_
#define ASSAY_PUBLISHED_STUDY_STORE_H_

#include <vector>

#include "published/study.h"
#include "spec/checked.h"
#include "spec/repository.h"

namespace assay {

/// What could be read of `reports/published/`, and what is wrong with it.
struct LoadedStudies {
  std::vector<PublishedStudy> studies;  ///< By id; those whose form holds.
  Errors unreadable;                    ///< Faults of form: their studies are left out.
  Errors unfit;                         ///< What CheckStudy says of those that are there.
};

/// Every study `<repository.root>/reports/published/<study>.yaml`; none where there is no such
/// folder. A link is a fault.
[[nodiscard]] LoadedStudies LoadStudies(const Repository& repository);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_STUDY_STORE_H_
