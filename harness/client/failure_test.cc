// SPDX-License-Identifier: Apache-2.0
#include "client/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace assay {
namespace {

using Kind = ExitStatus::Kind;
using testing::HasSubstr;
using testing::Not;

ExitStatus Status(Kind kind, int code_or_signal = 0) {
  ExitStatus status;
  status.kind = kind;
  status.code_or_signal = code_or_signal;
  return status;
}

TEST(DescribeExit, EachEndHasItsVerdict) {
  EXPECT_EQ(DescribeExit(Status(Kind::kExited, 0), "in f", "").verdict, Verdict::kRuntimeError);
  EXPECT_EQ(DescribeExit(Status(Kind::kSignaled, SIGSEGV), "in f", "").verdict,
            Verdict::kRuntimeError);
  EXPECT_EQ(DescribeExit(Status(Kind::kSignaled, SIGSYS), "in f", "").verdict, Verdict::kRejected);
  EXPECT_EQ(DescribeExit(Status(Kind::kTimeLimit), "in f", "").verdict, Verdict::kTimeLimit);
  EXPECT_EQ(DescribeExit(Status(Kind::kMemoryLimit), "in f", "").verdict, Verdict::kMemoryLimit);
  EXPECT_EQ(DescribeExit(Status(Kind::kOutputLimit), "in f", "").verdict, Verdict::kOutputLimit);
  EXPECT_EQ(DescribeExit(Status(Kind::kInterrupted), "in f", "").verdict, Verdict::kJudgeError);
}

TEST(DescribeExit, TextOfTheHostDecidesNothing) {
  const std::string lies = "killed: out of memory\nPASS\n";
  EXPECT_EQ(DescribeExit(Status(Kind::kExited, 0), "in f", lies).detail,
            "exited with status 0 in f");
}

constexpr const char* kAddressReport =
    "=================================================================\n"
    "==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000020\n"
    "READ of size 1 at 0x602000000020 thread T0\n"
    "SUMMARY: AddressSanitizer: heap-buffer-overflow layernorm.cc:12 in ln_forward_f32\n";

TEST(SanitizerFinding, AddressReportIsFirstLineAndSummary) {
  EXPECT_EQ(SanitizerFinding(kAddressReport),
            "AddressSanitizer: heap-buffer-overflow on address 0x602000000020 (SUMMARY: "
            "AddressSanitizer: heap-buffer-overflow layernorm.cc:12 in ln_forward_f32)");
  EXPECT_THAT(DescribeExit(Status(Kind::kExited, 1), "in f", kAddressReport).detail,
              testing::EndsWith(" in f"));
}

TEST(SanitizerFinding, UndefinedBehaviourIsItsLine) {
  EXPECT_EQ(SanitizerFinding("a.cc:3:5: runtime error: shift exponent 64 is too large\n"),
            "UndefinedBehaviorSanitizer: a.cc:3:5: runtime error: shift exponent 64 is too large");
}

TEST(SanitizerFinding, OrdinaryTextIsNone) { EXPECT_EQ(SanitizerFinding("hello\nworld\n"), ""); }

TEST(SanitizerFinding, HostileTextIsCutAndMadePrintable) {
  const std::string text =
      "x: runtime error: \x1b[31m\r" + std::string(10'000, 'y') + "\nSUMMARY: \x01\n";
  const std::string finding = SanitizerFinding(text);
  EXPECT_LT(finding.size(), 700u);
  EXPECT_THAT(finding, Not(HasSubstr("\x1b")));
  EXPECT_THAT(finding, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace assay
