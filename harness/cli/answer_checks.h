// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_ANSWER_CHECKS_H_
#define ASSAY_CLI_ANSWER_CHECKS_H_

#include "base/error.h"
#include "cli/submission_stub.h"

namespace assay {

/// For fuzzers: what holds of the files of every answer, or of the error that it ends with.
void CheckFiles(const Result<FileContents>& files);

}  // namespace assay

#endif  // ASSAY_CLI_ANSWER_CHECKS_H_
