// SPDX-License-Identifier: Apache-2.0
#include "exec/signature_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Signatures TwoMutants() {
  Signatures signatures{.shared_digest = "s",
                        .suite_files = {{"suite_a.cc", {.rest = "f", .cases = {{"A.B", "d"}}}}},
                        .runs = kSignatureRuns,
                        .mutants = {}};
  signatures.mutants["carries_wrong"] = {
      .source_digest = "c",
      .cases = {{"Sum.Small", {{Verdict::kWrongAnswer, 3}}},
                {"Sum.Random", {{Verdict::kWrongAnswer, 1}, {Verdict::kRuntimeError, 2}}},
                {"Sum.Last", {{Verdict::kSkipped, 3}}}},
      .kinds = {{"Sum.Small", {{.operation = "add", .output = "sum", .decade = 3}}},
                {"Sum.Random",
                 {{.operation = "add", .output = "sum", .decade = 3}, {.operation = "add"}}}}};
  signatures.mutants["a_hang"] = {.source_digest = "h",
                                  .cases = {{"Sum.Small", {{Verdict::kTimeLimit, 3}}}}};
  return signatures;
}

constexpr const char* kSharedChanged =
    "the oracle, what the suite's files share, or challenge.yaml's limits of a case changed";

std::string Changed(std::string_view mutants) {
  return fmt::format("the source, a header or the baseline changed of the mutants {}", mutants);
}

struct SignatureStoreTest : ::testing::Test {
  SignatureStoreTest() {
    repository.Write("reference/adder/oracle.cc", "// oracle\n");
    repository.Write("reference/adder/baseline.cc", "// baseline\n");
    repository.Write("reference/adder/mutants/a_hang.cc", "// hangs\n");
    repository.Write("reference/adder/mutants/carries_wrong.cc", "// carries\n");
  }

  [[nodiscard]] SignatureSources Sources() const {
    ChallengeSpec adder;
    adder.id = "adder";
    adder.languages = languages;
    adder.limits = limits;
    return *ReadSignatureSources(repository.root(), adder);
  }

  /// What would be kept if the signatures were computed now.
  [[nodiscard]] Signatures Current() const {
    const SignatureSources now = Sources();
    Signatures signatures{.shared_digest = now.shared,
                          .suite_files = DigestsOf(now),
                          .runs = kSignatureRuns,
                          .mutants = {}};
    for (const auto& [name, digest] : now.mutants) {
      signatures.mutants[name].source_digest = digest;
    }
    return signatures;
  }

  TemporaryRepository repository;
  std::vector<std::string> languages = {"c++"};
  ChallengeLimits limits = {.case_time_limit_ms = 1000,
                            .memory_limit_bytes = 1 << 20,
                            .output_limit_bytes = 1000,
                            .build_time_limit_ms = 1000};
};

TEST_F(SignatureStoreTest, WhatIsSavedIsLoaded) {
  ASSERT_TRUE(SaveSignatures(repository.root(), "adder", TwoMutants()).has_value());
  const auto loaded = LoadSignatures(repository.root(), "adder");
  ASSERT_TRUE(loaded.has_value()) << ToString(loaded.error());
  EXPECT_EQ(*loaded, TwoMutants());
}

TEST_F(SignatureStoreTest, OneLineAMutant) {
  EXPECT_EQ(
      SignaturesToJson(TwoMutants()),
      R"({
"schema_version": 3,
"shared": "s",
"runs": 3,
"suite_files": {
"suite_a.cc": {"cases":{"A.B":"d"},"rest":"f"}
},
"mutants": {
"a_hang": {"ends":{"time_limit":{"3":["Sum.Small"]}},"failures":[],"source":"h"},
"carries_wrong": {"ends":{"runtime_error":{"2":["Sum.Random"]},"skipped":{"3":["Sum.Last"]},)"
      R"("wrong_answer":{"1":["Sum.Random"],"3":["Sum.Small"]}},)"
      R"("failures":[["add","",-1,["Sum.Random"]],["add","sum",3,["Sum.Random","Sum.Small"]]],"source":"c"}
}
}
)");
}

TEST_F(SignatureStoreTest, WhatWaitsIsLoadedToo) {
  Signatures cut_off = TwoMutants();
  cut_off.waiting = {TwoMutants(), TwoMutants()};
  cut_off.waiting.front().shared_digest = "before";
  ASSERT_TRUE(SaveSignatures(repository.root(), "adder", cut_off).has_value());
  const auto loaded = LoadSignatures(repository.root(), "adder");
  ASSERT_TRUE(loaded.has_value()) << ToString(loaded.error());
  EXPECT_EQ(*loaded, cut_off);
}

TEST_F(SignatureStoreTest, OfWhatChallengeYamlSaysTheLimitsOfCasesCount) {
  const Signatures kept = Current();
  repository.Write("challenges/adder/challenge.yaml", "title: Another\n");
  limits.build_time_limit_ms = 2;
  EXPECT_THAT(WhyStale(kept, Sources()), IsEmpty());
  for (std::int64_t* const limit :
       {&limits.case_time_limit_ms, &limits.memory_limit_bytes, &limits.output_limit_bytes}) {
    ++*limit;
    EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre(kSharedChanged));
    --*limit;
  }
}

TEST_F(SignatureStoreTest, NoneIsNoError) {
  const auto loaded = LoadSignatures(repository.root(), "adder");
  ASSERT_TRUE(loaded.has_value());
  EXPECT_FALSE(loaded->has_value());
}

TEST_F(SignatureStoreTest, AFileAtFaultIsNamedWithTheRemedy) {
  for (
      const char* const broken :
      {"", "[]", "{", R"({"schema_version": 1})", R"({"schema_version": 3, "shared": "s"})",
       R"({"schema_version": 3, "shared": "s", "suite_files": {}, "runs": 3, "mutants": {"m": {"source": "x", "ends": )"
       R"({"gone_wrong": {"3": ["A"]}}}}})",
       R"({"schema_version": 3, "shared": "s", "suite_files": {}, "runs": 3, "mutants": {"m": {"source": "x", "ends": )"
       R"({"wrong_answer": {"many": ["A"]}}}}})",
       R"({"schema_version": 3, "shared": "s", "suite_files": {}, "runs": 3, "mutants": {"m": {"source": "x", "ends": {}}}})",
       R"({"schema_version": 3, "shared": "s", "suite_files": {}, "runs": 3, "mutants": {"m": {"source": "x", "ends": {}, )"
       R"("failures": [["f", "y", "large", ["A"]]]}}})"}) {
    repository.Write("reference/adder/signatures.json", broken);
    const auto loaded = LoadSignatures(repository.root(), "adder");
    ASSERT_FALSE(loaded.has_value()) << broken;
    EXPECT_THAT(loaded.error().where, HasSubstr("reference/adder/signatures.json"));
    EXPECT_EQ(loaded.error().remedy, "compute it again with scripts/signatures adder");
  }
}

TEST_F(SignatureStoreTest, WhatChangedIsNamed) {
  const Signatures kept = Current();
  EXPECT_THAT(WhyStale(kept, Sources()), IsEmpty());
  EXPECT_THAT(WhyStale(std::nullopt, Sources()), ElementsAre("there are none"));
  repository.Write("reference/adder/mutants/a_hang.cc", "// hangs longer\n");
  repository.Write("reference/adder/mutants/b_new.cc", "// new\n");
  std::filesystem::remove(repository.root() / "reference/adder/mutants/carries_wrong.cc");
  EXPECT_THAT(WhyStale(kept, Sources()),
              ElementsAre("the mutant b_new has no signature", Changed("a_hang"),
                          "there is no mutant carries_wrong any more"));
}

TEST_F(SignatureStoreTest, MutantsInCudaAreMutants) {
  const Signatures kept = Current();
  repository.Write("reference/adder/mutants/no_barrier.cu", "// races\n");
  EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre("the mutant no_barrier has no signature"));
}

TEST_F(SignatureStoreTest, AHeaderOfMutantsCountsForThoseThatIncludeIt) {
  repository.Write("reference/adder/mutants/a_hang.cc", "#include \"base.h\"\n");
  repository.Write("reference/adder/mutants/base.h", "#include \"shared.h\"\n");
  repository.Write("reference/adder/mutants/shared.h", "// as it was\n");
  const Signatures kept = Current();
  EXPECT_THAT(WhyStale(kept, Sources()), IsEmpty());
  repository.Write("reference/adder/mutants/shared.h", "// changed\n");
  EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre(Changed("a_hang")));
}

TEST_F(SignatureStoreTest, TheBaselineCountsForMutantsOfItsHalf) {
  repository.Write("reference/adder/baseline.cc", "#include \"export.h\"\n");
  repository.Write("reference/adder/export.h", "#include \"lanes.h\"\n");
  repository.Write("reference/adder/lanes.h", "// of the CPU\n");
  repository.Write("reference/adder/baseline.cu", "#include \"export.cuh\"\n");
  repository.Write("reference/adder/export.cuh", "// of the GPU\n");
  repository.Write("reference/adder/mutants/no_barrier.cu", "#include \"export.cuh\"\n");
  for (const char* const path : {"baseline.cu", "export.cuh"}) {
    const Signatures kept = Current();
    repository.Write(std::filesystem::path("reference/adder") / path,
                     "#include \"export.cuh\"\n// changed\n");
    EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre(Changed("no_barrier"))) << path;
  }
  // The host of a mutant in CUDA has the CPU half of the baseline too.
  for (const char* const path : {"baseline.cc", "export.h", "lanes.h"}) {
    const Signatures kept = Current();
    repository.Write(std::filesystem::path("reference/adder") / path,
                     "#include \"export.h\"\n#include \"lanes.h\"\n// changed\n");
    EXPECT_THAT(WhyStale(kept, Sources()),
                ElementsAre(Changed("a_hang, carries_wrong, no_barrier")))
        << path;
  }
}

TEST_F(SignatureStoreTest, InAChallengeInCudaTheCudaHalfCountsForAllMutants) {
  repository.Write("reference/adder/baseline.cu", "// of the GPU\n");
  languages = {"cuda", "c++"};
  const Signatures kept = Current();
  repository.Write("reference/adder/baseline.cu", "// changed\n");
  EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre(Changed("a_hang, carries_wrong")));
}

TEST_F(SignatureStoreTest, AHeaderThatTheOracleOrTheSuiteSharesWithTheBaselineCountsForAll) {
  repository.Write("reference/adder/baseline.cu", "#include \"a.h\"\n#include \"b.h\"\n");
  repository.Write("reference/adder/oracle.cc", "#include \"a.h\"\n");
  repository.Write("challenges/adder/suite_support.h", "#include \"b.h\"\n");
  for (const char* const path : {"reference/adder/a.h", "reference/adder/b.h"}) {
    repository.Write(path, "// as it was\n");
    const Signatures kept = Current();
    repository.Write(path, "// changed\n");
    EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre(kSharedChanged)) << path;
  }
}

TEST_F(SignatureStoreTest, FilesOfTheSuiteAreNamed) {
  repository.Write("challenges/adder/suite_sum.cc", "// sum\n");
  const Signatures kept = Current();
  repository.Write("challenges/adder/suite_edge.cc", "// new\n");
  EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre("of the suite changed suite_edge.cc"));
  std::filesystem::remove(repository.root() / "challenges/adder/suite_sum.cc");
  EXPECT_THAT(WhyStale(kept, Sources()),
              ElementsAre("of the suite changed suite_edge.cc, suite_sum.cc"));
}

TEST_F(SignatureStoreTest, OracleAndWhatFilesShareCount) {
  for (const char* const path :
       {"challenges/adder/suite_support.h", "challenges/adder/adapter.cc",
        "challenges/adder/interface.h", "reference/adder/oracle.cc", "reference/adder/flags.cmake",
        "reference/adder/included_by_none.h"}) {
    const Signatures kept = Current();
    repository.Write(path, "// changed\n");
    EXPECT_THAT(WhyStale(kept, Sources()), ElementsAre(kSharedChanged)) << path;
  }
}

TEST_F(SignatureStoreTest, WhatCannotChangeAMutantsCasesDoesNotCount) {
  const Signatures kept = Current();
  for (const char* const path :
       {"challenges/adder/rubric.yaml", "challenges/adder/PROMPT.md", "challenges/adder/bench.cc",
        "reference/adder/README.md", "reference/adder/oracle_test.cc",
        "reference/adder/oracle_test_support.h", "reference/adder/baseline_bench.cc",
        "reference/adder/anchors/order", "reference/adder/controls/accepted/x/x.cc",
        "reference/adder/signatures.json", "reference/adder/mutants.yaml",
        "reference/adder/kept_seeds"}) {
    repository.Write(path, "changed\n");
    EXPECT_THAT(WhyStale(kept, Sources()), IsEmpty()) << path;
  }
}

}  // namespace
}  // namespace assay
