// SPDX-License-Identifier: Apache-2.0
#include "pr/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Classify, SaysWhatAPathIsToGrading) {
  EXPECT_EQ(Classify("submissions/m/adder/add.cc").kind, PathKind::kSubmission);
  EXPECT_EQ(Classify("submissions/m/adder/add.cc").cell, (CellId{"m", "adder"}));
  EXPECT_EQ(Classify("submissions/m/adder/tests/t.cc").cell, (CellId{"m", "adder"}));
  EXPECT_EQ(Classify("submissions/m/model.yaml").kind, PathKind::kModel);
  EXPECT_EQ(Classify("submissions/m/model.yaml").cell, (CellId{"m", ""}));
  EXPECT_EQ(Classify("challenges/adder/rubric.yaml").kind, PathKind::kJudge);
  EXPECT_EQ(Classify("reference/adder/oracle.cc").kind, PathKind::kJudge);
  EXPECT_EQ(Classify("harness/base/text.cc").kind, PathKind::kJudge);
  EXPECT_EQ(Classify("reports/evidence/adder/m.json").kind, PathKind::kEvidence);
  EXPECT_EQ(Classify("README.md").kind, PathKind::kOther);
  EXPECT_EQ(Classify(".github/workflows/grade.yml").kind, PathKind::kOther);
}

TEST(Classify, NamesThatAreNoIdsBelongToNoModel) {
  EXPECT_EQ(Classify("submissions/README.md").kind, PathKind::kOther);
  EXPECT_EQ(Classify("submissions/$(reboot)/adder/add.cc").kind, PathKind::kOther);
  EXPECT_EQ(Classify("submissions/../harness/x.cc").kind, PathKind::kOther);
  EXPECT_EQ(Classify("submissions//adder/x.cc").kind, PathKind::kOther);
  EXPECT_EQ(Classify("submissions/m/@all/x.cc").kind, PathKind::kModel);
  EXPECT_EQ(Classify("").kind, PathKind::kOther);
}

TEST(Refusals, OneModelsFolderAlone) {
  EXPECT_THAT(RefusalsFor({"m"}, {}, ""), IsEmpty());
  EXPECT_THAT(RefusalsFor({"m"}, {}, "m"), IsEmpty());
  EXPECT_THAT(RefusalsFor({}, {}, ""), IsEmpty());
}

TEST(Refusals, NameWhatIsOutside) {
  EXPECT_THAT(RefusalsFor({"m"}, {"harness/x.cc"}, ""), ElementsAre(HasSubstr("harness/x.cc")));
  EXPECT_THAT(RefusalsFor({"m", "n"}, {}, ""), ElementsAre(HasSubstr("2 models: m, n")));
  EXPECT_THAT(RefusalsFor({"n"}, {}, "m"), ElementsAre(HasSubstr("another model than m: n")));
  EXPECT_THAT(RefusalsFor({"m", "n"}, {"x"}, "m"), ElementsAre(HasSubstr("x"), HasSubstr("n")));
}

}  // namespace
}  // namespace assay
