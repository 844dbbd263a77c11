// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_BUILD_STAMP_H_
#define ASSAY_EXEC_BUILD_STAMP_H_

#include <string>

#include "base/error.h"
#include "exec/inputs.h"

namespace assay {

/// What is run is what is hashed: when everything of a challenge is linked, the build writes down
/// what it was built from (`<id>.digests`) and what came of it (`<id>.built`, SHA-256 of each file
/// that `<id>.products` names, by its path from the build folder). A cell is graded only while both
/// are as they were.
///
/// An edit that is made while the build runs, between a compilation and this, is not seen here; the
/// next build compiles it, and scripts/grade always builds.

/// Writes both, and `<id>.d`, by which the build knows when to do so again.
[[nodiscard]] Status WriteBuildStamp(const InputPlaces& places, const std::string& challenge);

/// Whether what is built of `challenge` was built from the sources as `reader` finds them, and lies
/// there as the build left it. If not, an error of kind kConfiguration that names one file and what
/// to run. A package holds no sources and no `<id>.built`: it is taken as it is.
[[nodiscard]] Status CheckBuildStamp(InputReader& reader, const std::string& challenge);

}  // namespace assay

#endif  // ASSAY_EXEC_BUILD_STAMP_H_
