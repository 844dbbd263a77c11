// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_TOOL_REPORT_READER_H_
#define ASSAY_GPU_TOOL_REPORT_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/report/run_summary.h"

namespace assay::gpu {

/// Whether the lines of launches are kept, for JSON, beside their summary.
enum class KeepLaunches { kNo, kYes };

/// Takes apart what a program writes to its report descriptor. The program is not trusted with our
/// memory: lines over kLongestLine_bytes are passed over, and kept lines have a budget.
class ReportReader {
 public:
  static constexpr std::size_t kLongestLine_bytes = std::size_t{64} << 20;
  static constexpr std::size_t kKept_bytes = std::size_t{256} << 20;

  explicit ReportReader(KeepLaunches keep) : keep_(keep) {}

  void Feed(std::string_view piece);
  /// No more will come: a line without an end was cut by the program's death.
  void Finish();

  [[nodiscard]] const RunSummary& summary() const { return summary_; }
  /// As they came, without line breaks.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] std::uint64_t lines_left_out() const { return lines_left_out_; }
  /// What was wrong with lines, in words: of the first few.
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  void TakeLine(std::string_view line);
  void Fault(std::string text);

  KeepLaunches keep_;
  RunSummary summary_;
  std::string pending_;
  bool skipping_ = false;  // Until the next line break.
  std::vector<std::string> lines_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t lines_left_out_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TOOL_REPORT_READER_H_
