// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/report_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "emulator/report/json.h"
#include "emulator/report/test_reports.h"

namespace assay::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ReportReader, LinesMayComeInAnyPieces) {
  const std::string lines = ToJsonLine(SampleReport()) + ToJsonLine(SampleReport());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    ReportReader reader(KeepLaunches::kYes);
    for (std::size_t at = 0; at < lines.size(); at += piece) {
      reader.Feed(std::string_view(lines).substr(at, piece));
    }
    reader.Finish();
    EXPECT_THAT(reader.faults(), IsEmpty());
    EXPECT_EQ(reader.summary().launches(), 2U);
    ASSERT_THAT(reader.lines(), SizeIs(2));
    EXPECT_EQ(reader.lines()[0] + "\n", ToJsonLine(SampleReport()));
  }
}

TEST(ReportReader, KeepsNoLinesUnlessAsked) {
  ReportReader reader(KeepLaunches::kNo);
  reader.Feed(ToJsonLine(SampleReport()));
  EXPECT_THAT(reader.lines(), IsEmpty());
  EXPECT_EQ(reader.summary().launches(), 1U);
}

TEST(ReportReader, ABadLineLosesNoOther) {
  ReportReader reader(KeepLaunches::kYes);
  reader.Feed("rubbish\n\n" + ToJsonLine(SampleReport()));
  EXPECT_THAT(reader.faults(), ElementsAre(HasSubstr("no JSON object")));
  EXPECT_EQ(reader.summary().launches(), 1U);
  EXPECT_THAT(reader.lines(), SizeIs(1));
}

TEST(ReportReader, ALineCutByACrashIsAFault) {
  ReportReader reader(KeepLaunches::kNo);
  reader.Feed(ToJsonLine(SampleReport()) + "{\"launch\":1,");
  reader.Finish();
  EXPECT_THAT(reader.faults(), ElementsAre(HasSubstr("cut off")));
  EXPECT_EQ(reader.summary().launches(), 1U);
}

TEST(ReportReader, AnEndlessLineTakesNoEndlessMemory) {
  ReportReader reader(KeepLaunches::kYes);
  const std::string piece(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 100; ++i) {
    reader.Feed(piece);
  }
  reader.Feed("\n" + ToJsonLine(SampleReport()));
  EXPECT_THAT(reader.faults(), ElementsAre(HasSubstr("longer than")));
  EXPECT_EQ(reader.summary().launches(), 1U);
}

}  // namespace
}  // namespace assay::gpu
