// SPDX-License-Identifier: Apache-2.0
#include "process/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "process/executable.h"
#include "process/interrupt.h"
#include "process/retry.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::unexpected(SystemError("pipe", errno));
  }
  return Pipe{.read = UniqueFd(ends[0]), .write = UniqueFd(ends[1])};
}

/// Standard input as a file: a pipe would need feeding while the output is read.
Result<UniqueFd> MakeInput(const std::string& input) {
  UniqueFd file(::memfd_create("assay-input", MFD_CLOEXEC));
  if (!file) {
    return std::unexpected(SystemError("memfd_create", errno));
  }
  std::size_t done = 0;
  while (done < input.size()) {
    const ssize_t wrote =
        RetryOnEintr([&] { return ::write(file.get(), input.data() + done, input.size() - done); });
    if (wrote < 0) {
      return std::unexpected(SystemError("write standard input", errno));
    }
    done += static_cast<std::size_t>(wrote);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// Reads what is there into `text` up to `limit_bytes`; closes `pipe` at its end.
void Drain(UniqueFd& pipe, std::string& text, const Command& command, CommandResult& result) {
  std::array<char, 65536> buffer;
  const ssize_t got =
      RetryOnEintr([&] { return ::read(pipe.get(), buffer.data(), buffer.size()); });
  if (got <= 0) {
    pipe.Reset();
    return;
  }
  const std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
  const std::size_t room =
      command.output_limit_bytes - std::min(command.output_limit_bytes, text.size());
  text.append(piece.substr(0, room));
  result.output_truncated |= piece.size() > room;
  if (&text == &result.output && command.on_output) {
    command.on_output(piece);
  }
}

int PollTimeout_ms(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, 60'000));
}

/// Reads both pipes until the child has ended, then what is left in them. A grandchild that keeps
/// a pipe open does not hold this up.
Status Converse(Subprocess& child, UniqueFd& output, UniqueFd& errors, const Command& command,
                CommandResult& result) {
  const auto deadline = Clock::now() + command.time_limit;
  bool ended = false;
  for (;;) {
    std::array<pollfd, 4> events = {
        {{.fd = output.get(), .events = POLLIN, .revents = 0},
         {.fd = errors.get(), .events = POLLIN, .revents = 0},
         {.fd = ended ? -1 : child.exit_event_fd(), .events = POLLIN, .revents = 0},
         {.fd = InterruptEventFd(), .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(events.data(), events.size(), ended ? 0 : PollTimeout_ms(deadline));
    if (ready < 0 && errno != EINTR) {
      return std::unexpected(SystemError("poll", errno));
    }
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    if (ready > 0 && events[0].revents != 0) {
      Drain(output, result.output, command, result);
    }
    if (ready > 0 && events[1].revents != 0) {
      Drain(errors, result.errors, command, result);
    }
    const bool quiet = ready == 0 || (events[0].revents == 0 && events[1].revents == 0);
    if (ended && quiet) {
      return {};
    }
    ended = ended || (ready > 0 && events[2].revents != 0);
    if (!ended && Clock::now() >= deadline) {
      result.timed_out = true;
      child.Kill();
      (void)child.WaitUntil(Clock::time_point::max());
      ended = true;
    }
  }
}

}  // namespace

Result<CommandResult> RunToCompletion(const Command& command) {
  const std::string name = command.argv.empty() ? std::string() : command.argv[0];
  const auto program = FindExecutable(name);
  if (!program) {
    return std::unexpected(
        Error{.kind = ErrorKind::kJudge,
              .where = {},
              .cause = "program \"" + name + "\" was not found",
              .remedy = "install it (in a checkout scripts/setup does) or add it to PATH"});
  }
  ASSAY_ASSIGN_OR_RETURN(const UniqueFd input, MakeInput(command.input));
  ASSAY_ASSIGN_OR_RETURN(Pipe output, MakePipe());
  ASSAY_ASSIGN_OR_RETURN(Pipe errors, MakePipe());
  SubprocessOptions options{.argv = command.argv,
                            .environment = command.environment,
                            .working_directory = command.working_directory,
                            .descriptors = {{.ours = input.get(), .child = 0},
                                            {.ours = output.write.get(), .child = 1},
                                            {.ours = errors.write.get(), .child = 2}},
                            .processors = {},
                            .cgroup_entries = {}};
  options.argv[0] = program->string();
  const auto start = Clock::now();
  ASSAY_ASSIGN_OR_RETURN(Subprocess child, Subprocess::Start(options));
  output.write.Reset();
  errors.write.Reset();
  CommandResult result;
  ASSAY_RETURN_IF_ERROR(Converse(child, output.read, errors.read, command, result));
  if (const auto exit = child.WaitUntil(Clock::time_point::max())) {
    result.exit = *exit;
  }
  result.wall_time = Clock::now() - start;
  return result;
}

}  // namespace assay
