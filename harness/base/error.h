// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_ERROR_H_
#define ASSAY_BASE_ERROR_H_

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// Whose fault an Error is. It decides the exit code of the command line (cli/exit_code.h).
enum class ErrorKind {
  kConfiguration,  ///< Something a person wrote or asked for is wrong: exit 2.
  kJudge,          ///< The harness or its machine failed; never the submission's fault: exit 3.
  kSandbox,        ///< The sandbox is below the level asked for: exit 4.
};

/// An error as its reader needs it: the thing, what is wrong with it, and what to do.
///
/// A failure of a *submission* is never an Error: it is a Verdict (evidence/verdict.h).
struct Error {
  ErrorKind kind = ErrorKind::kJudge;
  std::string where;   ///< "file:line", a file, or empty when no file is at fault.
  std::string cause;   ///< The thing and what is wrong with it: `sources[0] "a.cc" does not exist`.
  std::string remedy;  ///< What to do about it; empty only where nothing can be done.

  bool operator==(const Error&) const = default;
};

/// `where: cause; remedy`, leaving out what is empty.
[[nodiscard]] std::string ToString(const Error& error);

/// An error of kind kJudge for a failed system call: `operation: strerror(error_number)`.
[[nodiscard]] Error SystemError(std::string operation, int error_number);

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

/// Every fault found in one reading of a file: `assay check` shows all of them, not just the first.
using Errors = std::vector<Error>;

}  // namespace assay

#define ASSAY_CONCAT_INNER(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_INNER(a, b)

/// Returns the error of `expression`, a Status or Result, from the enclosing function.
#define ASSAY_RETURN_IF_ERROR(expression)                      \
  do {                                                         \
    if (auto assay_status = (expression); !assay_status) {     \
      return std::unexpected(std::move(assay_status).error()); \
    }                                                          \
  } while (false)

/// Declares or assigns `target` from the value of `expression`, or returns its error.
// NOLINTBEGIN(bugprone-macro-parentheses): `target` may be a declaration, which takes none.
#define ASSAY_ASSIGN_OR_RETURN(target, expression)                                    \
  auto ASSAY_CONCAT(assay_result_, __LINE__) = (expression);                          \
  if (!ASSAY_CONCAT(assay_result_, __LINE__)) {                                       \
    return std::unexpected(std::move(ASSAY_CONCAT(assay_result_, __LINE__)).error()); \
  }                                                                                   \
  target = std::move(*ASSAY_CONCAT(assay_result_, __LINE__))
// NOLINTEND(bugprone-macro-parentheses)

#endif  // ASSAY_BASE_ERROR_H_
