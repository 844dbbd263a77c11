// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_REVIEW_HELP_TEXTS_H_
#define ASSAY_CLI_REVIEW_HELP_TEXTS_H_

namespace assay {

/// As help_texts.h, of `review …`.

inline constexpr const char* kReviewExamples =
    "Examples:\n"
    "  assay review new --reviewer ada --to /tmp/dossier\n"
    "                         what Ada reads, and the forms that she fills in\n"
    "  assay review check /tmp/dossier/*/*.yaml\n"
    "                         what is missing or does not hold in them\n"
    "  assay review collect /tmp/dossier && assay report\n"
    "                         into reports/reviews/, and shown\n\n"
    "Rows of kind review are judged, all others are measured. A row shows the median of the "
    "marks,\n"
    "their range, the number of reviewers and Krippendorff's alpha; under 3 reviewers or below "
    "0.67\n"
    "it is shown and not scored.";

inline constexpr const char* kReviewNewExamples =
    "Examples:\n"
    "  assay review new --reviewer ada --to /tmp/dossier\n"
    "                         every submission to every challenge that has rows of kind review\n"
    "  assay review new --reviewer gpt-6 --challenge layernorm_backward --to d glm-5 qwen3.6-27b\n"
    "                         two models' submissions to one challenge\n\n"
    "DIR/README.md tells a person or a model what to do. Names of models are taken out of "
    "sources,\n"
    "paths and answers; each submission goes by a label which only this repository's\n"
    ".assay/review.key leads back to a model, so keep that file. A reviewer whose id is a model's\n"
    "does not get what that model wrote. A dossier is text: nothing in it is run, links are not\n"
    "followed, and characters that are not seen are spelt out.";

inline constexpr const char* kReviewCheckExamples =
    "Examples:\n"
    "  assay review check     every review below reports/reviews/\n"
    "  assay review check /tmp/dossier/*/*.yaml\n"
    "                         forms as they come back, before they are collected\n"
    "  assay review check --json\n\n"
    "Held against the submissions as they are: the form, marks from 0 to 4 for every criterion,\n"
    "quotes that stand in the file and line they name, comparisons in both orders, nobody on "
    "their\n"
    "own work. A review of a submission that changed since is stale and does not count. Flagged,\n"
    "and no fault: a pair whose answer depends on the order, a preference against the marks.\n\n"
    "Exit codes: 0 all hold; 1 one does not, or is stale; 2 a file cannot be read as a review.";

inline constexpr const char* kReviewCollectExamples =
    "Example:\n"
    "  assay review collect /tmp/dossier && assay report\n\n"
    "Each DIR/<challenge>/s-....yaml becomes reports/reviews/<reviewer>/<challenge>/<model>.yaml.\n"
    "All of them are checked first, as assay review check does: where one does not hold nothing "
    "is\n"
    "written and it ends with 1. A review that is there is not overwritten (2): remove it first.\n"
    "assay report reads that folder and never writes there.";

}  // namespace assay

#endif  // ASSAY_CLI_REVIEW_HELP_TEXTS_H_
