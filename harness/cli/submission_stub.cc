// SPDX-License-Identifier: Apache-2.0
#include "cli/submission_stub.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "cli/interface_functions.h"

namespace assay {
namespace {

constexpr std::size_t kColumns = 100;

// `words`, with commas between them, as comment lines that begin with `mark`.
std::string CommentLines(std::string_view mark, std::string_view lead,
                         const std::vector<std::string>& words) {
  std::string text;
  std::string line = fmt::format("{} {}", mark, lead);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : ".");
    if (line.size() + 1 + word.size() > kColumns) {
      text += line + "\n";
      line = mark;
    }
    line += " " + word;
  }
  return text + line + "\n";
}

std::vector<std::string> EntryPointNames(const ChallengeSpec& challenge, bool required) {
  std::vector<std::string> names;
  for (const EntryPoint& entry : challenge.entry_points) {
    if (entry.required == required) {
      names.push_back(entry.name);
    }
  }
  return names;
}

Result<std::string> Source(const ChallengeSpec& challenge, std::string_view header) {
  std::string text = fmt::format(
      "// {}.\n"
      "// The functions that are required, with bodies that refuse every call. interface.h says "
      "what\n"
      "// each must do, PROMPT.md how it is graded.\n",
      challenge.title);
  if (const auto optional = EntryPointNames(challenge, false); !optional.empty()) {
    text += CommentLines("//", "Optional, and left out until they are written:", optional);
  }
  text += "#include \"interface.h\"\n";
  const auto unsupported = UnsupportedStatus(header);
  for (const std::string& name : EntryPointNames(challenge, true)) {
    const auto function = FindDeclaration(header, name);
    if (!function) {
      return std::unexpected(Error{
          .kind = ErrorKind::kConfiguration,
          .where = (challenge.directory / "interface.h").string(),
          .cause = fmt::format(
              "does not declare \"{}\", which challenge.yaml requires, as a function of C", name),
          .remedy = "declare it there, or correct entry_points in challenge.yaml"});
    }
    const std::string statement = StubStatement(*function, unsupported);
    text += fmt::format("\n{} {{{}}}\n", function->text,
                        statement.empty() ? "" : "\n  " + statement + "\n");
  }
  return text;
}

std::string Test(const ChallengeSpec& challenge) {
  std::string text =
      "// A test of your own: a program that calls functions of interface.h; exit status 0 is a "
      "pass.\n"
      "// It is run with your sources and with a reference, where it must pass, and with\n"
      "// implementations that each have one bug, where it should not. As it stands it sees that "
      "all\n"
      "// required functions are there, which finds no bug and scores nothing.\n"
      "#include \"interface.h\"\n\n"
      "#include <cstdio>\n\n"
      "int main() {\n"
      "  using Function = void (*)();\n"
      "  const Function volatile required[] = {\n";
  for (const std::string& name : EntryPointNames(challenge, true)) {
    text += fmt::format("      reinterpret_cast<Function>(&{}),\n", name);
  }
  text +=
      "  };\n"
      "  for (const Function function : required) {\n"
      "    if (function == nullptr) {\n"
      "      return 1;\n"
      "    }\n"
      "  }\n"
      "  // Call them here, and return 1 where an answer is not what interface.h says.\n"
      "  std::puts(\"every required function is there\");\n"
      "  return 0;\n"
      "}\n";
  return text;
}

std::string Benchmarks(const std::vector<std::string>& files) {
  std::string text =
      "\n# Programs that time: shown with how many sizes they time, and score nothing.\n";
  if (files.empty()) {
    return text + "# benchmarks:\n#   - {source: tests/bench.cc, configurations: 4}\n";
  }
  text += "benchmarks:\n";
  for (const std::string& file : files) {
    text += fmt::format("  - {{source: {}, configurations: 1}}\n", file);
  }
  return text;
}

std::string SheetOfQuestions(const ChallengeSpec& challenge) {
  if (challenge.questions.empty()) {
    return "";
  }
  std::string text =
      "\n# Answers to the questions of PROMPT.md, which says how things are counted: take \"# \" "
      "off the\n"
      "# next line and off those that you answer, and write the number or word behind the colon.\n"
      "# answers:\n";
  for (const Question& question : challenge.questions) {
    text += fmt::format("#   # {}{}\n#   {}:\n", question.text,
                        question.unit.empty() ? "" : " [" + question.unit + "]", question.id);
  }
  return text;
}

std::string SheetOfClaims(const ChallengeSpec& challenge) {
  if (challenge.claims.empty()) {
    return "";
  }
  std::string text =
      "\n# What you state about your own submission: numbers that are held against what is "
      "measured.\n"
      "# claims:\n";
  for (const ClaimKind& claim : challenge.claims) {
    text += fmt::format("#   # {}\n#   {}:\n", claim.text, claim.id);
  }
  return text;
}

}  // namespace

std::string StubSource(const ChallengeSpec& challenge) {
  const bool is_cuda = !challenge.languages.empty() && challenge.languages.front() == "cuda";
  return challenge.id + (is_cuda ? ".cu" : ".cc");
}

std::string StubTest(const ChallengeSpec& challenge) {
  return "tests/" + challenge.id + "_test.cc";
}

Result<FileContents> MakeStub(const ChallengeSpec& challenge, std::string_view interface_header) {
  FileContents files;
  ASSAY_ASSIGN_OR_RETURN(files[StubSource(challenge)], Source(challenge, interface_header));
  files[StubTest(challenge)] = Test(challenge);
  files["submission.yaml"] = SubmissionYaml(
      challenge, {.sources = {StubSource(challenge)}, .tests = {StubTest(challenge)}});
  return files;
}

std::string SubmissionYaml(const ChallengeSpec& challenge, const SubmissionFiles& files) {
  std::string text = fmt::format(
      "# A submission to {}. `assay check` names every fault of this file.\n"
      "schema: 1\n\n"
      "# Compiled one by one and linked; headers are found and not listed.\n"
      "sources: [{}]\n\n"
      "# Programs of their own that call interface.h; exit status 0 is a pass.\n",
      challenge.id, Join(files.sources, ", "));
  text += files.tests.empty() ? "# tests: [tests/first_test.cc]\n"
                              : fmt::format("tests: [{}]\n", Join(files.tests, ", "));
  text += Benchmarks(files.benchmarks);
  if (!files.documents.empty()) {
    text += "\n" + CommentLines("#", "For readers:", files.documents);
  }
  return text + SheetOfQuestions(challenge) + SheetOfClaims(challenge);
}

std::string ModelYaml(std::string_view name, std::string_view source) {
  return fmt::format(
      "schema: 1\n"
      "# As reports print it.\n"
      "name: \"{}\"\n"
      "# Whether someone else than the model wrote the submissions, from a description.\n"
      "reconstruction: false\n"
      "# Where the submissions are from.\n"
      "source: \"{}\"\n",
      name, source);
}

}  // namespace assay
