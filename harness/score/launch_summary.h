// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_LAUNCH_SUMMARY_H_
#define ASSAY_SCORE_LAUNCH_SUMMARY_H_

#include <optional>
#include <string>

#include "evidence/evidence.h"

namespace assay {

/// What people read of a launch, out of LaunchEvidence::values: pure, for explanations and reports.
/// gpu/suite/launch_evidence.h names the values; one that is absent is 0.
struct LaunchSummary {
  double blocks = 0;
  double threads_per_block = 0;
  std::optional<double> registers_per_thread;  ///< Nothing: not known.
  double shared_bytes_per_block = 0;
  double local_bytes_per_thread = 0;
  double occupancy = 0;  ///< Theoretical, 0 to 1.
  double requested_read_bytes = 0;
  double requested_write_bytes = 0;  ///< Atomics and reductions too.
  double compulsory_bytes = 0;       ///< Distinct bytes read and written.
  double dram_bytes = 0;             ///< Behind the modelled L2.
  double sectors_per_load = 0;       ///< Sectors a request of global loads; 0 without loads.
  double barriers = 0;               ///< Of warps.
  double shuffles = 0;               ///< Of warps.
  /// By a roofline model of the named GPU: never a measurement.
  double modelled_time_s = 0;
};
[[nodiscard]] LaunchSummary Summarise(const LaunchEvidence& launch);

/// `64 blocks of 256 threads, 40 registers, 8.2 kB shared, occupancy 75 %; asks for 8.4 MB, …;
/// modelled 6.1 µs on NVIDIA A100-SXM4-80GB`. Hostile text.
[[nodiscard]] std::string DescribeLaunch(const LaunchEvidence& launch);

}  // namespace assay

#endif  // ASSAY_SCORE_LAUNCH_SUMMARY_H_
