// SPDX-License-Identifier: Apache-2.0
#include "cli/asked_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "spec/temporary_repository.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class AskedPairs : public testing::Test {
 protected:
  [[nodiscard]] Checked<std::vector<ModelPair>> Read(
      const std::vector<PublishedStudy>& studies = {}) const {
    return ReadAskedPairs(LoadRepository(repository_.root(), repository_.root()).repository,
                          studies);
  }
  TemporaryRepository repository_;
};

TEST_F(AskedPairs, WithoutAFileThoseOfTheStudies) {
  EXPECT_THAT(Read().value(), IsEmpty());
  PublishedStudy study;
  study.matchups.resize(1);
  study.matchups[0].a = "right";
  study.matchups[0].b = "gone";
  EXPECT_THAT(Read({study}).value(), ElementsAre(ModelPair{.a = "right", .b = "gone"}));
}

TEST_F(AskedPairs, AreThoseOfTheFile) {
  repository_.Write("reports/pairs.yaml", "schema: 1\npairs:\n  - {a: wrong, b: right}\n");
  EXPECT_THAT(Read().value(), ElementsAre(ModelPair{.a = "wrong", .b = "right"}));
}

TEST_F(AskedPairs, AModelThatIsNotThereIsAFaultWithItsLine) {
  repository_.Write("reports/pairs.yaml",
                    "schema: 1\npairs:\n  - {a: wrong, b: rihgt}\n  - {a: right}\n");
  const auto pairs = Read();
  ASSERT_FALSE(pairs);
  ASSERT_THAT(pairs.error(), testing::SizeIs(2));
  EXPECT_THAT(pairs.error()[0].where, HasSubstr("pairs.yaml:3"));
  EXPECT_THAT(pairs.error()[0].cause, HasSubstr("rihgt"));
  EXPECT_THAT(pairs.error()[1].where, HasSubstr("pairs.yaml:4"));
}

TEST_F(AskedPairs, AFileThatIsNoMapIsAFault) {
  repository_.Write("reports/pairs.yaml", "- a\n- b\n");
  EXPECT_FALSE(Read());
}

}  // namespace
}  // namespace assay
