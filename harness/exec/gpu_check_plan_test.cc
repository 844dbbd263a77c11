// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GpuCheckPlan PlanWithAllParts() {
  return {.programs = {{.name = "scan",
                        .expected = "sum 6\nmax 3\n",
                        .hardware_differs = "ptxas makes one load of two",
                        .launches = {{.launch = 0,
                                      .kernel = "Scan(int*)",
                                      .counters = {{"global_load_requests", 4}}}}}},
          .challenges = {{.id = "kv_cache",
                          .filter = "*Cuda*",
                          .hosts = {{.name = "baseline",
                                     .emulated = {{"Cuda.One", Verdict::kAccepted},
                                                  {"Cuda.Two", Verdict::kWrongAnswer}}}}}},
          .no_counters = "no gpu_counters",
          .no_challenges = "they were not asked for"};
}

TEST(GpuCheckPlan, IsReadAsItWasWritten) {
  const GpuCheckPlan plan = PlanWithAllParts();
  const auto read = GpuCheckPlanFromJson(ToJson(plan), "plan.json");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_EQ(*read, plan);
}

TEST(GpuCheckPlan, WhatIsNoPlanIsNamed) {
  std::string other = ToJson(PlanWithAllParts());
  other.replace(other.find("\"schema_version\": 1"), 19, "\"schema_version\": 9");
  std::string verdict = ToJson(PlanWithAllParts());
  verdict.replace(verdict.find("wrong_answer"), 12, "wrong_verdict");
  for (const auto& [text, cause] : {std::pair<std::string, std::string>{"{", "parse error"},
                                    {"{}", "schema_version"},
                                    {other, "another version"},
                                    {verdict, "\"wrong_verdict\" is no verdict"}}) {
    const auto read = GpuCheckPlanFromJson(text, "carried/plan.json");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kConfiguration);
    EXPECT_EQ(read.error().where, "carried/plan.json");
    EXPECT_THAT(read.error().cause, HasSubstr(cause));
    EXPECT_THAT(read.error().remedy, HasSubstr("--build-only"));
  }
}

TEST(ProgramNotes, AreTheCommentsOfASource) {
  const ProgramNotes notes = ReadProgramNotes(
      "// SPDX-License-Identifier: Apache-2.0\n// FLAGS: -G -Xptxas -O1\n"
      "// HARDWARE: ptxas makes one load of two\n// COUNTERS: vary\nint main() {}\n");
  EXPECT_THAT(notes.flags, ElementsAre("-G", "-Xptxas", "-O1"));
  EXPECT_EQ(notes.hardware_differs, "ptxas makes one load of two");
  EXPECT_TRUE(notes.counters_vary);
  EXPECT_EQ(ReadProgramNotes("int main() {}  // FLAGS: -G\n"), ProgramNotes{});
}

TEST(EmulatedCounters, AreALineALaunch) {
  const auto read = ReadEmulatedCounters(
      R"({"program":"scan","launch":0,"kernel":"A","counters":{"global_load_requests":4}}
{"program":"scan","launch":2,"kernel":"B","counters":{"warp_instructions":90}}
{"program":"sort","launch":0,"kernel":"C","counters":{}}
)");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_THAT(
      read->at("scan"),
      ElementsAre(
          EmulatedLaunch{.launch = 0, .kernel = "A", .counters = {{"global_load_requests", 4}}},
          EmulatedLaunch{.launch = 2, .kernel = "B", .counters = {{"warp_instructions", 90}}}));
  EXPECT_EQ(read->at("sort").size(), 1U);
}

TEST(EmulatedCounters, CutOffIsTheJudgesFault) {
  const auto read = ReadEmulatedCounters(R"({"program":"scan","launch":0,"ker)");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, ErrorKind::kJudge);
}

TEST(CudaCases, AreThoseThatAreNamedSoOrElseAll) {
  EXPECT_EQ(FilterOfCudaCases({"Core.One", "Heads/CudaDecode.IsRight"}), "*Cuda*");
  EXPECT_EQ(FilterOfCudaCases({"Core.One", "Edge.Two"}), "*");
}

TEST(CarriedLibraries, AreNotThoseThatEveryMachineHas) {
  EXPECT_THAT(
      LibrariesToCarry("/b/suite:\n"
                       "\tlinux-vdso.so.1 (0x00007ffd)\n"
                       "\tlibgtest.so.1.12.1 => /lib/x86_64-linux-gnu/libgtest.so.1.12.1 (0x1)\n"
                       "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x2)\n"
                       "\tlibstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x3)\n"
                       "\tlibgone.so.1 => not found\n"
                       "\t/lib64/ld-linux-x86-64.so.2 (0x4)\n"
                       "/b/real_bench:\n"
                       "\tlibfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x5)\n"
                       "\tlibgtest.so.1.12.1 => /lib/x86_64-linux-gnu/libgtest.so.1.12.1 (0x6)\n"),
      ElementsAre("/lib/x86_64-linux-gnu/libfmt.so.9", "/lib/x86_64-linux-gnu/libgtest.so.1.12.1"));
  EXPECT_THAT(LibrariesToCarry(""), IsEmpty());
}

}  // namespace
}  // namespace assay
