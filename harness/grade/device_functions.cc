// SPDX-License-Identifier: Apache-2.0
#include "grade/device_functions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "build/cuda_tokens.h"

namespace assay {
namespace {

using Tokens = std::span<const CudaToken>;
using Kind = CudaToken::Kind;

// Words before a function's name that take arguments of their own.
constexpr std::array<std::string_view, 8> kTakeArguments = {
    "__launch_bounds__", "__attribute__", "__align__", "alignas",
    "decltype",          "explicit",      "noexcept",  "__declspec"};

bool IsSign(const CudaToken& token, char sign) {
  return token.kind == Kind::kSign && token.text.front() == sign;
}

// Behind the bracket that closes the one at `open`; the end of the tokens when nothing does. A
// directive in between counts as text, as it does to a reader.
std::size_t BehindMatch(Tokens tokens, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += IsSign(tokens[i], opening) ? 1 : IsSign(tokens[i], closing) ? -1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return tokens.size();
}

struct Declaration {
  std::string_view name;  ///< Empty: no function.
  std::size_t body = 0;   ///< From its opening brace …
  std::size_t end = 0;    ///< … to behind the closing one; equal when it only declares.
};

// Behind a template's arguments at `open`; where the declaration ends when nothing closes them.
std::size_t BehindTemplateArguments(Tokens tokens, std::size_t open) {
  int depth = 0;
  std::size_t i = open;
  while (i < tokens.size() && !IsSign(tokens[i], ';') && !IsSign(tokens[i], '{') &&
         tokens[i].kind != Kind::kDirectiveEnd) {
    depth += IsSign(tokens[i], '<') ? 1 : IsSign(tokens[i], '>') ? -1 : 0;
    ++i;
    if (depth == 0) {
      break;
    }
  }
  return i;
}

// From the parenthesis at `open` that holds the parameters to the end of the body.
Declaration ReadBody(Tokens tokens, std::string_view name, std::size_t open) {
  std::size_t i = BehindMatch(tokens, open, '(', ')');
  while (i < tokens.size() && tokens[i].kind != Kind::kDirectiveEnd) {
    if (IsSign(tokens[i], '{')) {
      return {.name = name, .body = i, .end = BehindMatch(tokens, i, '{', '}')};
    }
    if (IsSign(tokens[i], ';')) {
      return {.name = name, .body = i, .end = i};
    }
    i = IsSign(tokens[i], '(') ? BehindMatch(tokens, i, '(', ')') : i + 1;
  }
  return {.name = name, .body = i, .end = i};
}

// What is declared behind a `__device__` at `at`.
Declaration ReadDeclaration(Tokens tokens, std::size_t at) {
  std::string_view name;
  std::size_t i = at + 1;
  while (i < tokens.size()) {
    const CudaToken& token = tokens[i];
    if (token.kind == Kind::kDirectiveEnd || IsSign(token, ';') || IsSign(token, '=') ||
        IsSign(token, '{') || IsSign(token, '}')) {
      break;  // A variable, or the end of a macro.
    }
    if (token.kind == Kind::kName && token.text == "operator") {
      break;
    }
    const bool takes_arguments =
        std::ranges::find(kTakeArguments, token.text) != kTakeArguments.end();
    if (token.kind == Kind::kName && takes_arguments) {
      const bool opens = i + 1 < tokens.size() && IsSign(tokens[i + 1], '(');
      i = opens ? BehindMatch(tokens, i + 1, '(', ')') : i + 1;
    } else if (token.kind == Kind::kName) {
      name = token.text;
      ++i;
    } else if (IsSign(token, '<')) {
      i = BehindTemplateArguments(tokens, i);
    } else if (IsSign(token, '(')) {
      return name.empty() ? Declaration{.name = {}, .body = i, .end = i}
                          : ReadBody(tokens, name, i);
    } else {
      ++i;
    }
  }
  return {.name = {}, .body = i, .end = i};
}

// One name: all functions that have it.
struct Function {
  std::size_t declarations = 0;
  std::vector<Tokens> bodies;
  std::size_t uses = 0;  ///< Outside its own bodies and declarations.
  bool unused = false;
};

class Scan {
 public:
  explicit Scan(const std::vector<std::string>& sources) {
    for (const std::string& source : sources) {
      files_.push_back(CudaTokens(source));
    }
  }

  std::vector<std::string> Run() {
    FindMacros();
    for (const auto& file : files_) {
      FindFunctions(file);
    }
    // What is declared and never defined lives elsewhere.
    std::erase_if(functions_, [](const auto& one) { return one.second.bodies.empty(); });
    for (const auto& file : files_) {
      CountUses(file);
    }
    Spread();
    std::vector<std::string> names;
    for (const auto& [name, function] : functions_) {
      if (function.unused) {
        names.emplace_back(name);
      }
    }
    return names;
  }

 private:
  // `#define NAME … __device__ …`
  void FindMacros() {
    for (const auto& file : files_) {
      for (std::size_t i = 0; i + 2 < file.size(); ++i) {
        if (file[i].kind != Kind::kDirective || file[i + 1].text != "define") {
          continue;
        }
        std::size_t j = i + 3;
        while (j < file.size() && file[j].kind != Kind::kDirectiveEnd) {
          if (file[j].text == "__device__") {
            markers_.insert(file[i + 2].text);
          }
          ++j;
        }
        i = j;
      }
    }
  }

  void FindFunctions(Tokens tokens) {
    std::size_t i = 0;
    while (i < tokens.size()) {
      if (tokens[i].kind == Kind::kDirective) {
        while (i < tokens.size() && tokens[i].kind != Kind::kDirectiveEnd) {
          ++i;
        }
        continue;
      }
      if (tokens[i].kind != Kind::kName || !markers_.contains(tokens[i].text)) {
        ++i;
        continue;
      }
      const Declaration found = ReadDeclaration(tokens, i);
      if (!found.name.empty()) {
        Function& function = functions_[found.name];
        ++function.declarations;
        if (found.end > found.body) {
          function.bodies.push_back(tokens.subspan(found.body, found.end - found.body));
        }
      }
      i = std::max(i + 1, found.end);
    }
  }

  void CountUses(Tokens tokens) {
    for (const CudaToken& token : tokens) {
      if (Function* const function = Find(token)) {
        ++function->uses;
      }
    }
  }

  // Every declaration, and every call of itself, was counted as a use.
  void Spread() {
    std::vector<Function*> open;
    for (auto& [name, function] : functions_) {
      function.uses -= std::min(function.uses, function.declarations);
      for (const Tokens body : function.bodies) {
        for (const CudaToken& token : body) {
          function.uses -= token.kind == Kind::kName && token.text == name && function.uses > 0;
        }
      }
      if (function.uses == 0) {
        function.unused = true;
        open.push_back(&function);
      }
    }
    while (!open.empty()) {
      const Function& caller = *open.back();
      open.pop_back();
      for (const Tokens body : caller.bodies) {
        for (const CudaToken& token : body) {
          Function* const callee = Find(token);
          if (callee == nullptr || callee->unused || callee->uses == 0) {
            continue;
          }
          --callee->uses;
          if (callee->uses == 0) {
            callee->unused = true;
            open.push_back(callee);
          }
        }
      }
    }
  }

  Function* Find(const CudaToken& token) {
    if (token.kind != Kind::kName) {
      return nullptr;
    }
    const auto found = functions_.find(token.text);
    return found == functions_.end() ? nullptr : &found->second;
  }

  std::vector<std::vector<CudaToken>> files_;
  std::set<std::string_view> markers_ = {"__device__"};
  std::map<std::string_view, Function> functions_;
};

}  // namespace

std::vector<std::string> UnusedDeviceFunctions(const std::vector<std::string>& sources) {
  return Scan(sources).Run();
}

}  // namespace assay
