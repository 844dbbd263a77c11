// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/counters.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emulator/report/json.h"
#include "emulator/report/test_reports.h"

namespace assay::gpu {
namespace {

// Through JSON, which names every counter: one that += forgets would not double.
TEST(Counters, SumIsOfEveryCounter) {
  const nlohmann::json keys = nlohmann::json::parse(ToJsonLine(SampleReport()))["counters"];
  LaunchReport twice = SampleReport();
  twice.counters += SampleReport().counters;
  const nlohmann::json doubled = nlohmann::json::parse(ToJsonLine(twice))["counters"];
  for (const auto& [key, value] : keys.items()) {
    if (value.is_number()) {
      EXPECT_EQ(doubled[key].get<std::uint64_t>(), 2 * value.get<std::uint64_t>()) << key;
    }
  }
  EXPECT_EQ(twice.counters.mix["mul.f32"], 4000U);
}

}  // namespace
}  // namespace assay::gpu
