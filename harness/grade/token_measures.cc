// SPDX-License-Identifier: Apache-2.0
#include "grade/token_measures.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "build/cuda_tokens.h"

namespace assay {
namespace {

using Kind = CudaToken::Kind;

/// Brackets and branches in each other, deeper than in any code that is read by people; what lies
/// deeper is passed over, since a hostile source must not take our stack.
constexpr int kDeepest = 200;

/// A token as a statement knows it: `<%` is a brace, `&&` one sign.
struct Token {
  std::string_view text;
  int line = 0;

  [[nodiscard]] bool Is(std::string_view other) const { return text == other; }
};

/// Code without directives; the replacement of each macro by itself.
struct Code {
  std::vector<Token> text;
  std::vector<std::vector<Token>> macros;
};

/// `<%` is `{`, and `&&` is one sign.
std::string_view JoinedSign(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kJoined = {
      {{"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}, {"&&", "&&"}, {"||", "||"}}};
  const auto found = std::ranges::find(kJoined, text, [](const auto& one) { return one.first; });
  return found == kJoined.end() ? std::string_view() : found->second;
}

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source), tokens_(CudaTokens(source)) {}

  Code Read() && {
    for (; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].kind == Kind::kDirective) {
        ReadDirective();
      } else {
        Add(code_.text);
      }
    }
    return std::move(code_);
  }

 private:
  /// Of `#define NAME …` what stands behind the name.
  void ReadDirective() {
    ++at_;
    const bool defines = at_ < tokens_.size() && tokens_[at_].text == "define";
    std::vector<Token> rest;
    for (; at_ < tokens_.size() && tokens_[at_].kind != Kind::kDirectiveEnd; ++at_) {
      Add(rest);
    }
    constexpr std::size_t kDefineAndName = 2;
    if (defines && rest.size() > kDefineAndName) {
      rest.erase(rest.begin(), rest.begin() + kDefineAndName);
      code_.macros.push_back(std::move(rest));
    }
  }

  void Add(std::vector<Token>& to) {
    const std::string_view text = tokens_[at_].text;
    const auto offset = static_cast<std::size_t>(text.data() - source_.data());
    line_ += static_cast<int>(std::ranges::count(source_.substr(seen_, offset - seen_), '\n'));
    seen_ = offset;
    const std::string_view joined =
        tokens_[at_].kind == Kind::kSign ? JoinedSign(source_.substr(offset, 2)) : "";
    if (!joined.empty() && at_ + 1 < tokens_.size() &&
        tokens_[at_ + 1].text.data() == text.data() + 1) {
      ++at_;
    }
    to.push_back({.text = joined.empty() ? text : joined, .line = line_});
  }

  std::string_view source_;
  std::vector<CudaToken> tokens_;
  Code code_;
  std::size_t at_ = 0;
  std::size_t seen_ = 0;
  int line_ = 1;
};

using Tokens = std::span<const Token>;

/// The statements of one body, and what each adds to its complexity: a branch or loop 1 and its
/// depth, an `else` 1, a run of one logical operator 1.
class Body {
 public:
  explicit Body(Tokens tokens) : tokens_(tokens) {
    while (at_ < tokens_.size()) {
      At("}") ? Take() : Statement(0);
    }
  }

  [[nodiscard]] int complexity() const { return complexity_; }
  [[nodiscard]] int statements() const { return statements_; }

 private:
  /// How many of our own calls are under way.
  class Level {
   public:
    explicit Level(int& levels) : levels_(levels) { ++levels_; }
    ~Level() { --levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& levels_;
  };

  [[nodiscard]] bool AtEnd() const { return at_ >= tokens_.size(); }
  [[nodiscard]] bool At(std::string_view text) const { return !AtEnd() && tokens_[at_].Is(text); }
  void Take() { ++at_; }
  bool TakeIf(std::string_view text) {
    const bool is_here = At(text);
    at_ += is_here ? 1 : 0;
    return is_here;
  }

  void Statement(int depth) {
    constexpr std::array<std::string_view, 5> kNesting = {"if", "for", "while", "switch", "catch"};
    const Level level(levels_);
    if (levels_ > kDeepest) {
      SkipStatement();
    } else if (At("{")) {
      Block(depth);
    } else if (!AtEnd() && std::ranges::find(kNesting, tokens_[at_].text) != kNesting.end()) {
      Nest(depth, 1 + depth);
    } else if (TakeIf("do")) {
      Count(1 + depth);
      Statement(depth + 1);
      if (TakeIf("while")) {
        Expression(depth);
      }
    } else if (TakeIf("else")) {
      // `else if` is one step, and no deeper.
      Count(1);
      At("if") ? Nest(depth, 0) : Statement(depth + 1);
    } else if (TakeIf("try")) {
      Statement(depth);
    } else {
      Count(At("goto") ? 1 : 0);
      Expression(depth);
    }
  }

  void Block(int depth) {
    Take();
    while (!AtEnd() && !At("}")) {
      Statement(depth);
    }
    TakeIf("}");
  }

  /// `if (…) statement` and its like.
  void Nest(int depth, int cost) {
    Count(cost);
    Take();
    TakeIf("constexpr");
    if (At("(")) {
      Parentheses(depth, {});
    }
    if (!AtEnd() && !At("}")) {
      Statement(depth + 1);
    }
  }

  /// Up to behind its `;`, or to before the brace that ends the block around it.
  void Expression(int depth) {
    std::string_view logical;
    while (!AtEnd() && !At("}")) {
      if (TakeIf(";")) {
        return;
      }
      Operand(depth, logical);
    }
  }

  /// `logical` is the operator of the run that they stand in.
  void Parentheses(int depth, std::string_view logical) {
    Take();
    while (!AtEnd() && !At(")") && !At("}")) {
      Operand(depth, logical);
    }
    TakeIf(")");
  }

  /// One token of an expression, or all in its brackets. A body in it, as a lambda's, is one level
  /// deeper. `logical` is the operator of the run so far.
  void Operand(int depth, std::string_view& logical) {
    const Level level(levels_);
    if (levels_ > kDeepest) {
      Take();
    } else if (At("(")) {
      // `a && !(b && c)` is one run, but the arguments of a call are none of it.
      const bool groups = at_ > 0 && (tokens_[at_ - 1].Is(logical) || tokens_[at_ - 1].Is("!") ||
                                      tokens_[at_ - 1].Is("("));
      Parentheses(depth, groups ? logical : std::string_view());
    } else if (At("{")) {
      Block(depth + 1);
    } else {
      const bool is_logical = At("||") || (At("&&") && at_ > 0 && !tokens_[at_ - 1].Is("auto"));
      if (is_logical) {
        complexity_ += tokens_[at_].Is(logical) ? 0 : 1;
        logical = tokens_[at_].text;
      }
      complexity_ += At("?") ? 1 + depth : 0;
      Take();
    }
  }

  void SkipStatement() {
    while (!AtEnd() && !At(";") && !At("}")) {
      Take();
    }
    TakeIf(";");
  }

  void Count(int cost) {
    complexity_ += cost;
    ++statements_;
  }

  Tokens tokens_;
  std::size_t at_ = 0;
  int levels_ = 0;
  int complexity_ = 0;
  int statements_ = 0;
};

/// Behind the bracket that closes the one at `open`; the end of the tokens when nothing does.
std::size_t BehindMatch(Tokens tokens, std::size_t open, std::string_view opening,
                        std::string_view closing) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += tokens[i].Is(opening) ? 1 : tokens[i].Is(closing) ? -1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return tokens.size();
}

enum class Brace { kScope, kFunction, kInitializer };

/// What a brace opens behind these tokens, of a declaration at namespace or class scope.
Brace WhatOpensBehind(Tokens head) {
  constexpr std::array<std::string_view, 9> kTakeArguments = {
      "__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype",
      "explicit",          "noexcept",      "requires",  "sizeof"};
  constexpr std::array<std::string_view, 6> kScopes = {"namespace", "class", "struct",
                                                       "union",     "enum",  "extern"};
  bool is_scope = false;
  for (std::size_t i = 0; i < head.size(); ++i) {
    is_scope = is_scope || std::ranges::find(kScopes, head[i].text) != kScopes.end();
    if (!head[i].Is("(")) {
      continue;
    }
    const bool belongs =
        i > 0 && std::ranges::find(kTakeArguments, head[i - 1].text) != kTakeArguments.end();
    if (!belongs) {
      return Brace::kFunction;
    }
    i = BehindMatch(head, i, "(", ")") - 1;
  }
  return is_scope ? Brace::kScope : Brace::kInitializer;
}

void KeepWorst(Tokens body, FunctionMeasures& worst) {
  const Body measured(body);
  const int lines = body.empty() ? 1 : body.back().line - body.front().line + 1;
  worst.longest_lines = std::max({worst.longest_lines, lines, measured.statements()});
  worst.cognitive_complexity = std::max(worst.cognitive_complexity, measured.complexity());
}

/// The bodies of all functions, with their braces.
void MeasureFunctions(Tokens tokens, FunctionMeasures& worst) {
  std::size_t head = 0;
  std::size_t i = 0;
  while (i < tokens.size()) {
    if (!tokens[i].Is("{")) {
      const bool ends = tokens[i].Is(";") || tokens[i].Is("}");
      ++i;
      head = ends ? i : head;
      continue;
    }
    const Brace brace = WhatOpensBehind(tokens.subspan(head, i - head));
    const std::size_t end = brace == Brace::kScope ? i + 1 : BehindMatch(tokens, i, "{", "}");
    if (brace == Brace::kFunction) {
      KeepWorst(tokens.subspan(i, end - i), worst);
    }
    i = end;
    head = end;
  }
}

}  // namespace

int CountTokens(std::string_view source) {
  return static_cast<int>(std::ranges::count_if(CudaTokens(source), [](const CudaToken& token) {
    return token.kind != Kind::kDirectiveEnd;
  }));
}

FunctionMeasures MeasureByTokens(std::string_view source) {
  FunctionMeasures worst;
  const Code code = Reader(source).Read();
  MeasureFunctions(code.text, worst);
  for (const std::vector<Token>& macro : code.macros) {
    KeepWorst(macro, worst);
  }
  return worst;
}

}  // namespace assay
