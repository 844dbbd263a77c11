// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SUBMISSION_HELP_TEXTS_H_
#define ASSAY_CLI_SUBMISSION_HELP_TEXTS_H_

namespace assay {

/// As help_texts.h, of the commands that make and remove submissions.

inline constexpr const char* kNewExamples =
    "Examples:\n"
    "  assay new my-model layernorm_backward\n"
    "                       submissions/my-model/layernorm_backward: the required functions, "
    "which\n"
    "                       refuse every call, one test, and submission.yaml with the questions\n"
    "  assay new my-model   the same for every challenge it has no submission to\n"
    "  assay new --help && assay list\n"
    "                       list names the challenges\n\n"
    "What it writes compiles, passes nothing and is yours to edit; what to do next is printed.\n"
    "Nothing is overwritten: a submission that is there ends it with 2, and then nothing is "
    "written.";

inline constexpr const char* kCollectExamples =
    "Examples:\n"
    "  assay collect answer.md --as my-model/kv_cache\n"
    "                       the code blocks of one answer that say which file they are\n"
    "  assay collect answer.zip --as my-model/kv_cache\n"
    "  assay collect answers/kv_cache --as my-model/kv_cache\n"
    "                       a folder, or an archive: .tar, .tar.gz, .tgz, .zip\n\n"
    "The name of a block in markdown: ```cpp kv_cache.cc, or title=\"kv_cache.cc\" there; else\n"
    "// kv_cache.cc as its first line; else a heading, a bold line or `kv_cache.cc` just before "
    "it.\n"
    "Blocks without a name are left out, and counted.\n\n"
    "Refused, all at once and by name: build scripts, scripts, binaries, links, devices, hidden\n"
    "files, names that are not plain, and more than 1 MiB a file, 16 MiB or 10,000 files in all. "
    "An\n"
    "answer without submission.yaml gets one: programs with main are tests or, by their names,\n"
    "benchmarks, and other .cc, .cpp, .cxx and .cu files are sources. All of it is written, or\n"
    "nothing (exit code 2).";

inline constexpr const char* kRemoveExamples =
    "Examples:\n"
    "  assay rm my-model/kv_cache         say what goes, ask, then remove the submission and its\n"
    "                                     evidence\n"
    "  assay rm my-model --yes            a model with all that it handed in; does not ask\n"
    "  assay rm my-model --yes && assay report\n"
    "                                     and the reports without it\n\n"
    "Nothing outside of submissions/ and reports/evidence/ is touched. Answering no ends it with "
    "1;\n"
    "without --yes and without a terminal to ask it ends with 2.";

inline constexpr const char* kDeployExamples =
    "Examples:\n"
    "  assay deploy my-model --to /srv/my-model kv_cache\n"
    "                       /srv/my-model/kv_cache: README.md, PROMPT.md, interface.h, and "
    "answer/,\n"
    "                       which holds a stub, a sample test and the sheet of questions\n"
    "  assay deploy my-model --to /srv/my-model\n"
    "                       every challenge\n"
    "  assay collect /srv/my-model/kv_cache/answer --as my-model/kv_cache\n"
    "                       take in what became of it\n\n"
    "Nothing of the suite, the rubric or the reference is laid out. README.md has the one command\n"
    "that builds the sample test. Nothing is overwritten.";

}  // namespace assay

#endif  // ASSAY_CLI_SUBMISSION_HELP_TEXTS_H_
