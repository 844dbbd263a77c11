// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_FAULTS_FOR_TEST_H_
#define ASSAY_SPEC_FAULTS_FOR_TEST_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "spec/repository.h"
#include "spec/temporary_repository.h"

namespace assay {

/// Of TemporaryRepository's files, those that tests get wrong.
inline constexpr const char* kSubmission = "submissions/right/adder/submission.yaml";
inline constexpr const char* kChallenge = "challenges/adder/challenge.yaml";
inline constexpr const char* kRubric = "challenges/adder/rubric.yaml";
inline constexpr const char* kModel = "submissions/right/model.yaml";

/// What CheckRepository says, each fault as it is printed.
inline std::vector<std::string> Faults(const TemporaryRepository& repository) {
  std::vector<std::string> faults;
  for (const Error& error : CheckRepository(repository.root())) {
    EXPECT_EQ(error.kind, ErrorKind::kConfiguration);
    faults.push_back(ToString(error));
  }
  return faults;
}

}  // namespace assay

#endif  // ASSAY_SPEC_FAULTS_FOR_TEST_H_
