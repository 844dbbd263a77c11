// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/report_reader.h"

#include <fmt/format.h>

#include <utility>

#include "emulator/report/json.h"

namespace assay::gpu {
namespace {

constexpr std::size_t kMostFaults = 10;

}  // namespace

void ReportReader::Feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (!skipping_ && pending_.size() + part.size() > kLongestLine_bytes) {
      Fault(fmt::format("a launch's report is longer than {} bytes", kLongestLine_bytes));
      pending_ = {};
      skipping_ = true;
    }
    if (!skipping_) {
      pending_ += part;
    }
    if (end == std::string_view::npos) {
      return;
    }
    if (!skipping_) {
      TakeLine(std::exchange(pending_, {}));
    }
    skipping_ = false;
    piece.remove_prefix(end + 1);
  }
}

void ReportReader::Finish() {
  if (!pending_.empty()) {
    Fault("the last launch's report was cut off: the program ended while it was written");
    pending_ = {};
  }
}

void ReportReader::TakeLine(std::string_view line) {
  if (line.empty()) {
    return;
  }
  const auto report = ReportFromJson(line);
  if (!report) {
    Fault(ToString(report.error()));
    return;
  }
  summary_.Add(*report);
  if (keep_ == KeepLaunches::kNo) {
    return;
  }
  if (kept_bytes_ + line.size() > kKept_bytes) {
    ++lines_left_out_;
    return;
  }
  kept_bytes_ += line.size();
  lines_.emplace_back(line);
}

void ReportReader::Fault(std::string text) {
  if (faults_.size() < kMostFaults) {
    faults_.push_back(std::move(text));
  }
}

}  // namespace assay::gpu
