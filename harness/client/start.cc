// SPDX-License-Identifier: Apache-2.0
// How a host comes to life: its memory, its sandbox, its first message.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "client/failure.h"
#include "client/host_impl.h"
#include "process/machine.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kHostSpin = std::chrono::microseconds(50);
constexpr int kOpenFiles = 32;
/// Calls have limits of their own, and a host lives as long as there are cases for it.
constexpr nanoseconds kLifetime = std::chrono::hours(24);

std::unexpected<HostFailure> OurFault(const Error& error) {
  return std::unexpected(HostFailure{Verdict::kJudgeError, ToString(error)});
}

/// Whether there is a processor for each side, so that spinning does not keep the other from
/// answering.
bool MaySpin(std::optional<int> host_cpu) {
  const std::vector<int> ours = UsableProcessors();
  return host_cpu ? std::ranges::any_of(ours, [&](int cpu) { return cpu != *host_cpu; })
                  : ours.size() > 1;
}

SandboxRequest RequestFor(const HostOptions& options, const wire::SharedMemory& control,
                          const wire::SharedMemory& inputs, const wire::SharedMemory& outputs) {
  const Mount executable{.outside = std::filesystem::absolute(options.executable),
                         .inside = "/host",
                         .access = Access::kReadOnly};
  SandboxRequest request;
  request.argv = {SeenPath(options.level, executable).string()};
  request.environment = {"LC_ALL=C.UTF-8"};
  request.mounts = RuntimeMounts();
  request.mounts.push_back(executable);
  request.fds = {{control.fd(), wire::kControlFd},
                 {inputs.fd(), wire::kInputsFd},
                 {outputs.fd(), wire::kOutputsFd}};
  request.policy = SyscallPolicy::kHost;
  request.limits.wall = kLifetime;
  request.limits.memory_bytes = options.memory_limit_bytes;
  request.limits.output_bytes = options.output_limit_bytes;
  request.limits.processes = options.processes;
  request.limits.open_files = kOpenFiles;
  request.cpu = options.cpu;
  return request;
}

}  // namespace

HostImpl::Outcome<std::unique_ptr<HostImpl>> HostImpl::Start(const HostOptions& options) {
  using wire::PeerAccess;
  using wire::SharedMemory;
  constexpr std::size_t kControl_bytes =
      (sizeof(wire::Control) + wire::kPageBytes - 1) / wire::kPageBytes * wire::kPageBytes;
  auto control = SharedMemory::Create("assay-control", kControl_bytes, PeerAccess::kReadWrite);
  auto inputs = SharedMemory::Create("assay-inputs", wire::kArenaBytes, PeerAccess::kReadOnly);
  auto outputs = SharedMemory::Create("assay-outputs", wire::kArenaBytes, PeerAccess::kReadWrite);
  for (const auto* memory : {&control, &inputs, &outputs}) {
    if (!*memory) {
      return OurFault(memory->error());
    }
  }
  const bool may_spin = MaySpin(options.cpu);
  const Spin spin{.ours = may_spin ? options.spin : nanoseconds(0),
                  .hosts = may_spin ? kHostSpin : nanoseconds(0)};
  auto* shared = new (control->data()) wire::Control{};
  shared->magic = wire::kMagic;
  shared->version = wire::kVersion;
  shared->host_spin_ns = static_cast<std::uint64_t>(spin.hosts.count());

  auto process = Spawn(options.level, RequestFor(options, *control, *inputs, *outputs));
  if (!process) {
    return OurFault(process.error());
  }
  std::unique_ptr<HostImpl> host(new HostImpl(options, std::move(*control), std::move(*inputs),
                                              std::move(*outputs), std::move(*process), spin));
  if (auto greeted = host->Greet(); !greeted) {
    return std::unexpected(greeted.error());
  }
  return host;
}

HostImpl::Outcome<void> HostImpl::Greet() {
  if (auto hello =
          Await(DeadlineFromNow(options_.start_limit), "before it could be asked anything");
      !hello) {
    return hello;
  }
  auto operations = ParseHello(incoming());
  if (!operations) {
    return Fail(Verdict::kRejected, fmt::format("malformed hello: {}", operations.error()));
  }
  operations_ = std::move(*operations);
  return {};
}

}  // namespace assay
