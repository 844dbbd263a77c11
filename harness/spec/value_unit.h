// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_VALUE_UNIT_H_
#define ASSAY_SPEC_VALUE_UNIT_H_

#include <string>

#include "spec/rubric.h"
#include "spec/yaml_reader.h"

namespace assay {

/// Reads `unit`, `one`, `of` and `one_is` of the criterion `item`, which is `name` in messages and
/// whose value and format are in `criterion`:
///
///     unit: lines              12 lines, and 1 line;
///     one: line                without `one` the same for 1: 1 a row
///     of: 2                    1 of 2 passes in CUDA;
///     unit: passes in CUDA     without `unit` 1 of 2
///     one_is: as handed in     as handed in, and not as handed in
///
/// Members that do not go together are a fault.
[[nodiscard]] ValueUnit ReadValueUnit(MapReader& item, const std::string& name,
                                      const Criterion& criterion, FileFaults& faults);

}  // namespace assay

#endif  // ASSAY_SPEC_VALUE_UNIT_H_
