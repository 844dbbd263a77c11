// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "spec/nearest.h"
#include "spec/rubric.h"

namespace assay {
namespace {

// How many arguments a function takes.
enum class Arity { kNone, kAtMostOne, kOne, kOneOrTwo, kTwo, kSome };

struct FunctionForm {
  ValueFunction function;
  std::string_view name;
  Arity arity;
};

constexpr std::array kFunctions = {
    FunctionForm{ValueFunction::kPassRate, "pass_rate", Arity::kSome},
    FunctionForm{ValueFunction::kRightRate, "right_rate", Arity::kSome},
    FunctionForm{ValueFunction::kMetric, "metric", Arity::kOne},
    FunctionForm{ValueFunction::kAtLargest, "at_largest", Arity::kTwo},
    FunctionForm{ValueFunction::kWorstOf, "worst_of", Arity::kTwo},
    FunctionForm{ValueFunction::kCurve, "curve", Arity::kTwo},
    FunctionForm{ValueFunction::kStatic, "static", Arity::kOne},
    FunctionForm{ValueFunction::kOwnTests, "own_tests", Arity::kOneOrTwo},
    FunctionForm{ValueFunction::kAnswers, "answers", Arity::kOne},
    FunctionForm{ValueFunction::kEntryPoints, "entry_points", Arity::kSome},
    FunctionForm{ValueFunction::kBuildsAsHandedIn, "builds_as_handed_in", Arity::kNone},
    FunctionForm{ValueFunction::kSanitizerFindings, "sanitizer_findings", Arity::kNone},
    FunctionForm{ValueFunction::kDeviceFindings, "device_findings", Arity::kAtMostOne},
    FunctionForm{ValueFunction::kDistinctFailures, "distinct_failures", Arity::kNone},
    FunctionForm{ValueFunction::kBenchRatio, "bench_ratio", Arity::kOne},
    FunctionForm{ValueFunction::kBenchShare, "bench_share", Arity::kOne},
    FunctionForm{ValueFunction::kClaims, "claims", Arity::kNone},
    FunctionForm{ValueFunction::kReview, "review", Arity::kNone},
};

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

bool IsArgument(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./-*:").find(c) != std::string_view::npos;
  });
}

std::unexpected<Error> ExpressionError(std::string cause, std::string remedy) {
  return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                               .where = {},
                               .cause = std::move(cause),
                               .remedy = std::move(remedy)});
}

std::string Usage(const FunctionForm& form) {
  switch (form.arity) {
    case Arity::kNone:
      return fmt::format("write \"{}\"", form.name);
    case Arity::kAtMostOne:
      return fmt::format("write \"{0}\" or \"{0}(name)\"", form.name);
    case Arity::kOne:
      return fmt::format("write \"{}(name)\"", form.name);
    case Arity::kOneOrTwo:
      return fmt::format("write \"{0}(name)\" or \"{0}(name, name)\"", form.name);
    case Arity::kTwo:
      return fmt::format("write \"{}(name, name or number)\"", form.name);
    case Arity::kSome:
      return fmt::format("write \"{}(name, ...)\"", form.name);
  }
  return "";
}

// What stands between the parentheses, split at commas; nothing when there are none.
Result<std::vector<std::string>> SplitArguments(std::string_view text, const FunctionForm& form) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view argument = Trim(text.substr(0, comma));
    if (!IsArgument(argument)) {
      return ExpressionError(fmt::format("\"{}\" is no argument of {}", argument, form.name),
                             "use letters, digits and _ . / - * :");
    }
    arguments.emplace_back(argument);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return arguments;
}

bool Fits(Arity arity, std::size_t arguments) {
  switch (arity) {
    case Arity::kNone:
      return arguments == 0;
    case Arity::kAtMostOne:
      return arguments <= 1;
    case Arity::kOne:
      return arguments == 1;
    case Arity::kOneOrTwo:
      return arguments == 1 || arguments == 2;
    case Arity::kTwo:
      return arguments == 2;
    case Arity::kSome:
      return arguments > 0;
  }
  return false;
}

}  // namespace

std::string_view ToString(ValueFunction function) {
  const auto found = std::ranges::find(kFunctions, function, &FunctionForm::function);
  return found == kFunctions.end() ? std::string_view("?") : found->name;
}

std::string ToString(const ValueExpression& expression) {
  const std::string name(ToString(expression.function));
  return expression.arguments.empty() ? name : name + "(" + Join(expression.arguments, ", ") + ")";
}

Result<ValueExpression> ParseValueExpression(std::string_view text) {
  text = Trim(text);
  const std::size_t open = text.find('(');
  const std::string name(Trim(text.substr(0, open)));
  const auto form = std::ranges::find(kFunctions, name, &FunctionForm::name);
  if (form == kFunctions.end()) {
    return ExpressionError(fmt::format("the value function \"{}\" is unknown", name),
                           SuggestOneOf(name, NamesOf(kFunctions, &FunctionForm::name)));
  }
  std::vector<std::string> arguments;
  if (open != std::string_view::npos) {
    if (!text.ends_with(')')) {
      return ExpressionError(fmt::format("\"{}\" does not end with \")\"", text), Usage(*form));
    }
    ASSAY_ASSIGN_OR_RETURN(arguments,
                           SplitArguments(text.substr(open + 1, text.size() - open - 2), *form));
  }
  if (!Fits(form->arity, arguments.size())) {
    return ExpressionError(fmt::format("{} does not take {} arguments", name, arguments.size()),
                           Usage(*form));
  }
  return ValueExpression{.function = form->function, .arguments = std::move(arguments)};
}

}  // namespace assay
