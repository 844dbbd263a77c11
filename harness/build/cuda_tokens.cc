// SPDX-License-Identifier: Apache-2.0
#include "build/cuda_tokens.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace assay {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Of a character in UTF-8.
bool IsByteOfLetter(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// Of those that names always had.
bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || IsDigit(c);
}

bool IsNamePart(char c) { return IsPlain(c) || c == '$' || IsByteOfLetter(c); }

bool IsBlankInLine(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0';
}

// The characters of `\u1234` or `\U12345678` at `at`; 0 where it is none.
std::size_t SizeOfNamedLetter(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("\\u") && !text.substr(at).starts_with("\\U")) {
    return 0;
  }
  const std::size_t size = text[at + 1] == 'u' ? 6 : 10;
  const std::string_view digits = text.substr(at).substr(0, size).substr(2);
  const bool is_whole =
      digits.size() == size - 2 &&
      digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  return is_whole ? size : 0;
}

// Behind the name or the rest of one at `at`.
std::size_t BehindName(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t size = IsNamePart(text[at]) ? 1 : SizeOfNamedLetter(text, at);
    if (size == 0) {
      break;
    }
    at += size;
  }
  return at;
}

// The sign of an exponent at `at`, which belongs to a number: `1e+5`.
bool IsSignOfExponent(std::string_view text, std::size_t at) {
  constexpr std::string_view kExponents = "eEpP";
  return at > 0 && (text[at] == '+' || text[at] == '-') && kExponents.contains(text[at - 1]);
}

// Behind all that may be one number from `at` on.
std::size_t BehindNumber(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size()) {
    const std::size_t before = end;
    end = BehindName(text, end);
    const bool goes_on = end < text.size() &&
                         (text[end] == '.' || (end > at && IsSignOfExponent(text, end)) ||
                          (text[end] == '\'' && end + 1 < text.size() && IsPlain(text[end + 1])));
    end += goes_on ? 1 : 0;
    if (end == before) {
      break;
    }
  }
  return end;
}

bool IsRawPrefix(std::string_view name) {
  return name == "R" || name == "LR" || name == "u8R" || name == "uR" || name == "UR";
}

// Whether `text`, from a `<` or quote on that may begin a header's name, says something else when
// it does not, and not for this line alone: `</*>`, `"\" /* "`.
bool HasTwoReadings(std::string_view line) {
  const std::size_t end = line.find(line.front() == '<' ? '>' : '"', 1);
  const std::string_view name = line.substr(1, end == std::string_view::npos ? 0 : end - 1);
  const bool is_odd =
      name.contains('\\') || (line.front() == '<' && (name.find_first_of("'\"") != name.npos ||
                                                      name.contains("//") || name.contains("/*")));
  return is_odd && (line.contains("/*") || line.contains("R\""));
}

// A source whose lines that go on are joined, and where each of its bytes was.
struct Joined {
  std::string text;
  std::vector<std::size_t> from;  ///< And, last, where the source ends.
};

// The size of `\` and a line break at `at`; g++ knows it with blanks between them too.
std::size_t SizeOfJoint(std::string_view source, std::size_t at) {
  if (source[at] != '\\') {
    return 0;
  }
  std::size_t end = at + 1;
  while (end < source.size() && IsBlankInLine(source[end])) {
    ++end;
  }
  return end < source.size() && source[end] == '\n' ? end + 1 - at : 0;
}

Joined Join(std::string_view source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Joined joined;
  joined.text.reserve(source.size());
  joined.from.reserve(source.size() + 1);
  std::size_t at = source.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < source.size()) {
    if (const std::size_t joint = SizeOfJoint(source, at); joint > 0) {
      at += joint;
    } else {
      joined.from.push_back(at);
      joined.text.push_back(source[at]);
      ++at;
    }
  }
  joined.from.push_back(source.size());
  return joined;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source), joined_(Join(source)) {
    while (at_ < joined_.text.size()) {
      Step();
    }
    EndDirective();
  }

  std::vector<CudaToken> TakeTokens() { return std::move(tokens_); }
  /// String and character literals, with their quotes.
  [[nodiscard]] const std::vector<std::string_view>& literals() const { return literals_; }
  [[nodiscard]] const std::vector<std::string_view>& comments() const { return comments_; }
  [[nodiscard]] const std::vector<std::size_t>& line_markers() const { return line_markers_; }

 private:
  [[nodiscard]] std::string_view Rest() const { return std::string_view(joined_.text).substr(at_); }
  [[nodiscard]] std::string_view Line() const { return Rest().substr(0, Rest().find('\n')); }

  void Step() {
    const char c = joined_.text[at_];
    if (c == '\n') {
      EndDirective();
      line_is_empty_ = true;
      Take(1);
    } else if (IsBlankInLine(c)) {
      Take(1);
    } else if (!unsure_ && Rest().starts_with("//")) {
      comments_.push_back(Take(Line().size()));  // The line break itself may end a directive.
    } else if (!unsure_ && Rest().starts_with("/*")) {
      const std::size_t end = Rest().find("*/", 2);
      comments_.push_back(Take(end == std::string_view::npos ? end : end + 2));
    } else {
      Token(c);
      line_is_empty_ = false;
    }
  }

  void Token(char c) {
    if (!unsure_ && in_directive_ && (c == '<' || c == '"') && NamesHeader()) {
      // No directive has many, and to look through a long line for each of many would take long.
      constexpr int kMostHeaders = 16;
      ++headers_;
      if (headers_ > kMostHeaders || HasTwoReadings(Line())) {
        BecomeUnsure();
      }
    }
    if (!unsure_ && (c == '"' || c == '\'')) {
      TakeQuoted(c);
    } else if (IsDigit(c)) {
      TakeNumber();
    } else if (BehindName(Rest(), 0) > 0) {
      TakeName();
    } else if (line_is_empty_ && (c == '#' || Rest().starts_with("%:"))) {
      in_directive_ = true;
      open_brackets_ = 0;
      headers_ = 0;
      directive_ = tokens_.size();
      Add(CudaToken::Kind::kDirective, 1);
      Take(c == '#' ? 0 : 1);
    } else {
      open_brackets_ += c == '(' ? 1 : c == ')' ? -1 : 0;
      Add(CudaToken::Kind::kSign, 1);
    }
  }

  // Whether this is where a directive may name a header. A macro may stand for `__has_include`.
  [[nodiscard]] bool NamesHeader() const {
    constexpr std::array<std::string_view, 4> kIncludes = {"include", "include_next", "import",
                                                           "embed"};
    if (tokens_.size() < directive_ + 2) {
      return false;
    }
    const std::string name = Whole(tokens_[directive_ + 1].text);
    return std::ranges::find(kIncludes, name) != kIncludes.end() ||
           ((name == "if" || name == "elif") && open_brackets_ > 0);
  }

  static std::string Whole(std::string_view text) { return Join(text).text; }

  void BecomeUnsure() {
    unsure_ = true;
    literals_.push_back(source_.substr(joined_.from[at_]));
  }

  // Some letters may stand in no name, and then another token begins behind them.
  void CheckLetters() {
    if (at_ < letters_checked_to_) {
      return;
    }
    const std::string_view run = Rest().substr(0, BehindNumber(Rest(), 0));
    letters_checked_to_ = at_ + run.size();
    const std::string_view behind = Rest().substr(run.size());
    if (!unsure_ && (behind.starts_with('"') || behind.starts_with('\'')) &&
        std::ranges::any_of(run, IsByteOfLetter)) {
      BecomeUnsure();
    }
  }

  void TakeName() {
    CheckLetters();
    const std::size_t size = BehindName(Rest(), 0);
    if (!unsure_ && IsRawPrefix(Rest().substr(0, size)) && Rest().substr(size).starts_with('"')) {
      TakeRaw(size);
    } else {
      Add(CudaToken::Kind::kName, size);
    }
  }

  // `R"delimiter(text)delimiter"`, whose lines are not joined.
  void TakeRaw(std::size_t quote) {
    const std::size_t begin = joined_.from[at_ + quote];
    const std::string_view raw = source_.substr(begin);
    // A delimiter has at most 16 characters: to look further would take long, for each of many.
    const std::size_t open = raw.substr(0, 18).find('(');
    const std::string_view delimiter = raw.substr(1, open == std::string_view::npos ? 0 : open - 1);
    if (open == std::string_view::npos ||
        delimiter.find_first_of(" )\\\"\t\v\f\r\n") != std::string_view::npos) {
      BecomeUnsure();
      return;
    }
    const std::string close = ")" + std::string(delimiter) + "\"";
    const std::size_t found = raw.find(close, open);
    const std::size_t end =
        found == std::string_view::npos ? source_.size() : begin + found + close.size();
    const auto behind = std::ranges::lower_bound(joined_.from, end) - joined_.from.begin();
    const std::size_t size = static_cast<std::size_t>(behind) - at_;
    if (in_directive_ && Rest().substr(0, size).contains('\n')) {
      BecomeUnsure();  // It ends with its directive, or does not.
      return;
    }
    Take(quote);
    AddLiteral(size - quote);
  }

  // An unterminated literal ends with its line.
  void TakeQuoted(char quote) {
    const std::string_view rest = Rest();
    std::size_t i = 1;
    while (i < rest.size() && rest[i] != quote && rest[i] != '\n') {
      i += rest[i] == '\\' && i + 1 < rest.size() && rest[i + 1] != '\n' ? 2U : 1U;
    }
    AddLiteral(i < rest.size() && rest[i] == quote ? i + 1 : i);
  }

  // Suffixes, exponents and separators (1'000) belong to it. The sign of an exponent is a token all
  // the same, as every sign.
  void TakeNumber() {
    CheckLetters();
    if (in_directive_ && tokens_.size() == directive_ + 1) {
      const std::string_view sign = tokens_.back().text;
      line_markers_.push_back(static_cast<std::size_t>(sign.data() - source_.data()));
    }
    const std::size_t end = at_ + BehindNumber(Rest(), 0);
    while (at_ < end) {
      if (joined_.text[at_] == '+' || joined_.text[at_] == '-') {
        Add(CudaToken::Kind::kSign, 1);
      } else {
        Take(1);
      }
    }
  }

  void EndDirective() {
    if (in_directive_) {
      tokens_.push_back({.kind = CudaToken::Kind::kDirectiveEnd, .text = {}});
      in_directive_ = false;
    }
  }

  void Add(CudaToken::Kind kind, std::size_t size) {
    tokens_.push_back({.kind = kind, .text = Take(size)});
  }

  void AddLiteral(std::size_t size) {
    literals_.push_back(Take(size));
    // `"x"R` is a literal with a suffix, or, where R is a macro, a literal and then another's
    // begin.
    const std::size_t name = BehindName(Rest(), 0);
    if (IsRawPrefix(Rest().substr(0, name)) && Rest().substr(name).starts_with('"')) {
      BecomeUnsure();
    }
  }

  // As the source has them.
  std::string_view Take(std::size_t size) {
    size = std::min(size, joined_.text.size() - at_);
    if (size == 0) {
      return {};
    }
    const std::size_t begin = joined_.from[at_];
    at_ += size;
    return source_.substr(begin, joined_.from[at_ - 1] + 1 - begin);
  }

  std::string_view source_;
  Joined joined_;
  std::size_t at_ = 0;
  std::vector<CudaToken> tokens_;
  std::vector<std::string_view> literals_;
  std::vector<std::string_view> comments_;
  std::vector<std::size_t> line_markers_;
  std::size_t directive_ = 0;  // Which token began the last one.
  int open_brackets_ = 0;      // In it.
  int headers_ = 0;            // What in it may be one.
  std::size_t letters_checked_to_ = 0;
  bool line_is_empty_ = true;
  bool in_directive_ = false;
  bool unsure_ = false;
};

void Fill(std::string_view part, char with, std::string_view source, std::string& text) {
  const auto begin = static_cast<std::size_t>(part.data() - source.data());
  for (std::size_t i = begin; i < begin + part.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') {
      text[i] = with;
    }
  }
}

bool AreOneSign(const CudaToken& a, const CudaToken& b) {
  constexpr std::array<std::string_view, 6> kSigns = {"&&", "||", "<%", "%>", "<:", ":>"};
  return !a.text.empty() && !b.text.empty() &&
         std::ranges::find(kSigns, std::string{a.text.front(), b.text.front()}) != kSigns.end();
}

}  // namespace

std::vector<CudaToken> CudaTokens(std::string_view source) { return Lexer(source).TakeTokens(); }

std::size_t LiteralBytes(std::string_view source) {
  const Lexer lexer(source);
  std::size_t bytes = 0;
  for (const std::string_view literal : lexer.literals()) {
    bytes += literal.size();
  }
  return bytes;
}

std::string CodeAlone(std::string_view source) {
  const Lexer lexer(source);
  std::string text(source);
  for (const std::string_view comment : lexer.comments()) {
    Fill(comment, ' ', source, text);
  }
  for (const std::string_view literal : lexer.literals()) {
    Fill(literal, 'x', source, text);
  }
  return text;
}

std::string WithWholeTokens(std::string_view source) {
  std::string text(source);
  const std::vector<CudaToken> tokens = CudaTokens(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string_view part = tokens[i].text;
    std::string whole = Join(part).text;
    if (i + 1 < tokens.size() && AreOneSign(tokens[i], tokens[i + 1])) {
      const char* const begin = part.data();
      const std::string_view both(begin, tokens[i + 1].text.data() + 1);
      std::string joined = Join(both).text;
      if (joined.size() == 2) {
        part = both;
        whole = std::move(joined);
        ++i;
      }
    }
    if (whole.size() == part.size()) {
      continue;
    }
    std::string joints;
    for (std::size_t at = 0; at < part.size();) {
      const std::size_t joint = SizeOfJoint(part, at);
      joints += part.substr(at, joint);
      at += std::max<std::size_t>(joint, 1);
    }
    text.replace(static_cast<std::size_t>(part.data() - source.data()), part.size(),
                 whole + joints);
  }
  return text;
}

std::vector<std::size_t> LineMarkers(std::string_view source) {
  return Lexer(source).line_markers();
}

}  // namespace assay
