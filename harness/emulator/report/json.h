// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_JSON_H_
#define ASSAY_EMULATOR_REPORT_JSON_H_

#include <string>
#include <string_view>

#include "base/error.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// `report` as one line of JSON, line break included. Counters go by the names of Nsight Compute's
/// metrics where it has one of the same meaning, else by a name that begins with `assay__`
/// (README.md has the list); a counter that is absent is 0. Enumerations go by their words
/// (words.h). Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string ToJsonLine(const LaunchReport& report);

/// The same of one finding, without a line break.
[[nodiscard]] std::string ToJson(const Finding& finding);

/// The report that `line` holds. Safe on any bytes: an error (kind kJudge) names the first key at
/// fault. Keys that are absent keep their defaults, keys that are unknown are passed over.
[[nodiscard]] Result<LaunchReport> ReportFromJson(std::string_view line);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_JSON_H_
