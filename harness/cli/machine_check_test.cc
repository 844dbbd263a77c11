// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SubmissionSpec Submission(std::string challenge, std::string source) {
  SubmissionSpec submission;
  submission.challenge = std::move(challenge);
  submission.sources = {std::move(source)};
  return submission;
}

Repository TwoChallenges() {
  Repository repository;
  for (const std::string first : {"cuda", "c++"}) {
    ChallengeSpec challenge;
    challenge.id = first == "cuda" ? "gpu" : "cpu";
    challenge.languages = {first, first == "cuda" ? "c++" : "cuda"};
    repository.challenges.push_back(challenge);
  }
  return repository;
}

std::vector<std::pair<std::string, BaselineHalves>> For(
    const std::vector<SubmissionSpec>& submissions) {
  std::vector<const SubmissionSpec*> pointers;
  pointers.reserve(submissions.size());
  for (const SubmissionSpec& submission : submissions) {
    pointers.push_back(&submission);
  }
  std::vector<std::pair<std::string, BaselineHalves>> found;
  for (const BaselineToCheck& baseline : BaselinesFor(TwoChallenges(), pointers)) {
    found.emplace_back(baseline.challenge.id, baseline.halves);
  }
  return found;
}

TEST(BaselinesFor, OnlyChallengesThatAreGraded) {
  EXPECT_THAT(For({}), IsEmpty());
  EXPECT_THAT(For({Submission("cpu", "a.cc"), Submission("cpu", "b.cc")}),
              testing::ElementsAre(testing::Pair("cpu", BaselineHalves::kCpp)));
}

TEST(BaselinesFor, CudaHalfWhereASubmissionNeedsNvccOrTheChallengeIsInCuda) {
  EXPECT_THAT(For({Submission("cpu", "a.cc"), Submission("cpu", "b.cu")}),
              testing::ElementsAre(testing::Pair("cpu", BaselineHalves::kCppAndCuda)));
  EXPECT_THAT(For({Submission("gpu", "a.cc")}),
              testing::ElementsAre(testing::Pair("gpu", BaselineHalves::kCppAndCuda)));
}

TEST(CheckRoomToGrade, TooLittleNamesThePlaceAndBothSizes) {
  const auto with = [](std::uint64_t bytes) {
    return CheckRoomToGrade("/r/.assay",
                            [=](const auto&) -> Result<std::uint64_t> { return bytes; });
  };
  EXPECT_TRUE(with(kRoomToGrade_bytes));
  const Status status = with(kRoomToGrade_bytes - 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(status.error().where, "/r/.assay");
  EXPECT_THAT(status.error().cause, AllOf(HasSubstr(std::to_string(kRoomToGrade_bytes - 1)),
                                          HasSubstr(std::to_string(kRoomToGrade_bytes))));
  EXPECT_THAT(status.error().remedy, HasSubstr("free 1 MiB"));
}

TEST(FreeBytesAt, FolderThatIsNotThereYetCountsByItsParent) {
  const auto free = FreeBytesAt("/tmp/assay-not-there/.assay");
  ASSERT_TRUE(free) << ToString(free.error());
  EXPECT_GT(*free, 0U);
}

}  // namespace
}  // namespace assay
