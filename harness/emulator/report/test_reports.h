// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_TEST_REPORTS_H_
#define ASSAY_EMULATOR_REPORT_TEST_REPORTS_H_

#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// A kernel with an off-by-one and a race, launch 0, with every field of the report set: made by
/// hand for tests.
[[nodiscard]] LaunchReport SampleReport();

[[nodiscard]] Finding OutOfBoundsFinding();
[[nodiscard]] Finding RaceFinding();

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_TEST_REPORTS_H_
