// SPDX-License-Identifier: Apache-2.0
#include "pr/result_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "pr/inert.h"
#include "pr/synthetic_change.h"
#include "score/synthetic.h"
#include "spec/unicode.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

Assessment Assessed(const SyntheticChange& one) { return one.AssessIt(ChangeGate::kCorrectness); }

TEST(EscapeXml, LeavesNothingThatXmlLacks) {
  EXPECT_EQ(EscapeXml("a<b>&\"c\"\n\t"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;&#9;");
  EXPECT_EQ(EscapeXml("\x01\x1b\xff"), "???");
  EXPECT_EQ(EscapeXml("\xEF\xBF\xBE-\xEF\xBF\xBF-\xEF\xBF\xBD"), "?-?-\xEF\xBF\xBD");
  EXPECT_EQ(EscapeXml("a\r\nb"), "a&#10;b");
  EXPECT_EQ(EscapeXml("]]>"), "]]&gt;");
}

TEST(InertText, MakesNoLinks) {
  EXPECT_EQ(InertText("see https://e.x and WWW.e.x", 100).text(), "see https: //e.x and WWW .e.x");
  EXPECT_EQ(InertText("wwww.e", 100).text(), "wwww .e");
  EXPECT_EQ(InertText("ask @name of GH-1", 100).text(), "ask \\@ name of GH- 1");
  EXPECT_EQ(InertText("as in #1", 100).text(), "as in \\# 1");
}

TEST(InertName, IsNeverEmptyCode) { EXPECT_EQ(InertName("").text(), "`?`"); }

TEST(JUnit, ATestCaseACell) {
  SyntheticChange three = OneFailingCell();
  three.change.cells.push_back(SyntheticCell("right", "sums"));
  three.change.cells[1].after->verdict = Verdict::kAccepted;
  three.change.cells.push_back(SyntheticCell("ours", "sums"));
  three.change.cells[2].after->verdict = Verdict::kJudgeError;
  three.change.cells.push_back(SyntheticCell("gone", "more"));
  three.change.cells[3].after.reset();
  three.change.cells[3].change = CellChange::kRemoved;
  const std::string xml = JUnitXml(Assessed(three));
  EXPECT_THAT(xml,
              StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<testsuites name=\"assay\" tests=\"4\" failures=\"1\" errors=\"1\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"sums\" tests=\"3\" failures=\"1\" errors=\"1\" "
                             "skipped=\"0\">"));
  EXPECT_THAT(xml, HasSubstr("classname=\"sums\" name=\"right\" time=\"0.000\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"wrong_answer\" message=\"Sum.Two: sum[0]"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"judge_error\""));
  EXPECT_THAT(xml, HasSubstr("<skipped>removed</skipped>"));
}

TEST(JUnit, HostileTextStaysText) {
  const std::string xml = JUnitXml(Assessed(HostileChange()));
  EXPECT_EQ(FindBadCharacter(xml), std::nullopt);
  EXPECT_THAT(xml, Not(HasSubstr("<img")));
  EXPECT_THAT(xml, Not(HasSubstr("<!--")));
  EXPECT_THAT(xml, Not(HasSubstr("]]>")));
  EXPECT_THAT(xml, Not(HasSubstr("\xEF\xBF\xBF")));
}

TEST(Sarif, FindingsAtTheirLines) {
  SyntheticChange one = OneFailingCell();
  one.change.cells[0].after->sanitizer_findings = {"AddressSanitizer: overflow add.cc:9:4 in f"};
  const json sarif = json::parse(SarifJson(one.change, Assessed(one)));
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const json& run = sarif.at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "Assay");
  ASSERT_THAT(run.at("results"), SizeIs(2));
  const json& result = run.at("results").at(0);
  EXPECT_EQ(result.at("ruleId"), "sanitizer");
  EXPECT_EQ(run.at("tool")
                .at("driver")
                .at("rules")
                .at(result.at("ruleIndex").get<std::size_t>())
                .at("id"),
            "sanitizer");
  EXPECT_EQ(result.at("level"), "warning");
  const json& place = result.at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("artifactLocation").at("uri"), "submissions/m/sums/add.cc");
  EXPECT_EQ(place.at("region"), (json{{"startLine", 9}, {"startColumn", 4}}));
  EXPECT_THAT(result.at("message").at("text"), HasSubstr("AddressSanitizer"));
}

TEST(Sarif, StaysWithinWhatGitHubTakesAndIsUtf8) {
  SyntheticChange large = LargestChange(64, 8);
  for (ChangedCell& cell : large.change.cells) {
    cell.after->sanitizer_findings.assign(100, "add.cc:1:1 " + std::string(3'000, 's'));
  }
  const std::string text = SarifJson(large.change, Assessed(large));
  EXPECT_THAT(text.size(), Le(std::size_t{10} << 20));
  EXPECT_EQ(json::parse(text).at("runs").at(0).at("results").size(), 5'000U);
  const SyntheticChange hostile = HostileChange();
  EXPECT_EQ(FindBadCharacter(SarifJson(hostile.change, Assessed(hostile))), std::nullopt);
}

TEST(Jsonl, OneLineACell) {
  const SyntheticChange hostile = HostileChange();
  const std::string text = ResultsJsonl(hostile.change, Assessed(hostile));
  const std::vector<std::string> lines = SplitLines(text);
  ASSERT_THAT(lines, SizeIs(2));
  const json cell = json::parse(lines[0]);
  EXPECT_EQ(cell.at("model"), "m");
  EXPECT_EQ(cell.at("verdict"), "wrong_answer");
  EXPECT_EQ(cell.at("verdict_before"), nullptr);
  EXPECT_EQ(cell.at("gate_failure"), "is wrong_answer");
  EXPECT_EQ(cell.at("first_failing").at("case"), "Sum.Two");
  EXPECT_EQ(cell.at("rank"), (json{{"best", 1}, {"worst", 1}, {"entrants", 1}}));
  EXPECT_THAT(json::parse(lines[1]).at("faults"), SizeIs(1));
  EXPECT_EQ(FindBadCharacter(text), std::nullopt);
}

TEST(Annotations, ACommandALineWhateverASubmissionPrints) {
  const std::string text = AnnotationLines(Assessed(HostileChange()));
  for (const std::string& line : SplitLines(text)) {
    EXPECT_THAT(line, MatchesRegex("::(error|warning) file=[^,]*,line=[0-9]+(,col=[0-9]+)?,"
                                   "title=[^:,]*::.*"));
    EXPECT_THAT(line, Not(HasSubstr("%0A")));
  }
  EXPECT_THAT(text, HasSubstr("::error file=submissions/m/sums/add.cc,line=1,col=1,"
                              "title=compile_error of m/sums::add.cc:1:1: error: @everyone"));
  EXPECT_EQ(FindBadCharacter(text), std::nullopt);
}

TEST(Annotations, AtMostTenWorstFirst) {
  SyntheticChange one = OneFailingCell();
  Evidence& after = *one.change.cells[0].after;
  for (int i = 1; i <= 20; ++i) {
    after.sanitizer_findings.push_back(fmt::format("add.cc:{}:1 overflow", i));
  }
  const std::vector<std::string> lines = SplitLines(AnnotationLines(Assessed(one)));
  ASSERT_THAT(lines, SizeIs(kMostAnnotations));
  EXPECT_THAT(lines.front(), StartsWith("::error file=submissions/m/sums/submission.yaml,line=1,"
                                        "title=failing_case of m/sums::Sum.Two"));
  EXPECT_THAT(lines[1], StartsWith("::warning "));
  EXPECT_EQ(lines.back(), "::notice title=Assay::2 more findings: results.sarif has them");
}

TEST(Annotations, NoneWhereNothingWasFound) {
  SyntheticChange one = OneFailingCell();
  one.change.cells[0].after = synthetic::MakeCell("m");
  EXPECT_THAT(AnnotationLines(Assessed(one)), IsEmpty());
}

}  // namespace
}  // namespace assay
