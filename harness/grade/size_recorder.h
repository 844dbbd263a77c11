// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_SIZE_RECORDER_H_
#define ASSAY_GRADE_SIZE_RECORDER_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "build/tool.h"

namespace assay {

// How the sizes are counted with which a benchmark calls the interface.
//
// A benchmark is linked with a recorder: an object that defines every function of interface.h,
// notes the sizes of a call, and calls the submission's function of that name. For this the
// submission's objects have their functions renamed (`twice` to `assay_real_twice`), and the
// benchmark's own object has its definitions made weak: one file may be both the implementation and
// the benchmark, and then calls the recorder too. Such a file is compiled with `kBenchmarkOption`,
// by which a call of a function that another object may replace stays a call.
//
// A size is a function with the values of its arguments that are integers, and with the bytes of
// structures that it is given to read. A benchmark that calls the interface often, with sizes that
// it does not measure, is counted for them: the count says how much it can be, not how much it is.

/// What g++ compiles a benchmark with, beside the flags of every source.
inline constexpr std::string_view kBenchmarkOption = "-fPIC";

/// More sizes than these of one benchmark are not told apart.
inline constexpr int kMostSizes = 1000;

/// The recorder of an interface with these functions, as a source in C++ that includes interface.h.
/// It writes a line to standard error when a call has a size that none before had.
[[nodiscard]] std::string SizeRecorderSource(const std::vector<std::string>& functions);

/// objcopy: CopiedObjectOf is `object` with the functions renamed.
[[nodiscard]] ToolStep ToRenameTool(const std::filesystem::path& object,
                                    const std::vector<std::string>& functions, SandboxLevel level,
                                    std::filesystem::path output_directory);
/// objcopy: CopiedObjectOf is `object` with every definition weak.
[[nodiscard]] ToolStep ToWeakenTool(const std::filesystem::path& object, SandboxLevel level,
                                    std::filesystem::path output_directory);

[[nodiscard]] std::filesystem::path CopiedObjectOf(const ToolStep& step);

/// How many sizes the recorder told of in what a benchmark printed, hostile text: 0 to kMostSizes.
[[nodiscard]] int CountSizes(std::string_view output);

}  // namespace assay

#endif  // ASSAY_GRADE_SIZE_RECORDER_H_
