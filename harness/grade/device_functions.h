// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_DEVICE_FUNCTIONS_H_
#define ASSAY_GRADE_DEVICE_FUNCTIONS_H_

#include <string>
#include <vector>

namespace assay {

/// Names of the `__device__` functions that `sources` (the text of all files of a submission)
/// define and that nothing names but they themselves and other unused ones, sorted.
///
/// It reads tokens and knows no types: overloads of one name are one function, and a name counts as
/// used wherever it stands outside the function, as a variable or a method too. So what it calls
/// unused is; it may miss some. Operators, constructors, lambdas and what macros expand to are no
/// functions here. An object-like macro with `__device__` in it stands for `__device__`.
///
/// Never fails, whatever the text is; time and memory grow with its size alone.
[[nodiscard]] std::vector<std::string> UnusedDeviceFunctions(
    const std::vector<std::string>& sources);

}  // namespace assay

#endif  // ASSAY_GRADE_DEVICE_FUNCTIONS_H_
