// SPDX-License-Identifier: Apache-2.0
// How a host comes to life: its memory, its sandbox, its first message.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "client/failure.h"
#include "client/host_impl.h"
#include "process/processors.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kHostSpin = std::chrono::microseconds(50);
constexpr int kOpenFiles = 32;
/// A GPU's driver, which only a host without a sandbox reaches, keeps files open by the dozen.
constexpr int kOpenFilesWithoutSandbox = 1024;
/// Calls have limits of their own, and a host lives as long as there are cases for it.
constexpr nanoseconds kLifetime = std::chrono::hours(24);

std::unexpected<HostFailure> OurFault(const Error& error) {
  return std::unexpected(HostFailure{Verdict::kJudgeError, ToString(error)});
}

/// Whether there is a processor for each side, so that spinning does not keep the other from
/// answering.
bool MaySpin(const std::vector<int>& hosts) {
  const std::vector<int> ours = UsableProcessors();
  const auto is_of = [](const std::vector<int>& processors, int processor) {
    return std::ranges::find(processors, processor) != processors.end();
  };
  return hosts.empty() ? ours.size() > 1
                       : hosts.size() > 1 || ours.size() > 1 || !is_of(hosts, ours.front());
}

}  // namespace

SandboxRequest HostImpl::RequestFor(const HostOptions& options, const Memory& memory) {
  const Mount executable{.outside = std::filesystem::absolute(options.executable),
                         .inside = "/host",
                         .access = Access::kReadOnly};
  SandboxRequest request;
  request.argv = {SeenPath(options.level, executable).string()};
  request.environment = {"LC_ALL=C.UTF-8"};
  request.mounts = RuntimeMounts();
  request.mounts.push_back(executable);
  request.fds = {{memory.control.fd(), wire::kControlFd},
                 {memory.inputs.fd(), wire::kInputsFd},
                 {memory.outputs.fd(), wire::kOutputsFd}};
  if (memory.device) {
    request.fds.push_back({memory.device->fd(), wire::kDeviceFd});
  }
  request.policy = SyscallPolicy::kHost;
  request.limits.wall = kLifetime;
  request.limits.memory_bytes = options.memory_limit_bytes;
  request.limits.output_bytes = options.output_limit_bytes;
  request.limits.processes = options.processes;
  request.limits.open_files =
      options.level == SandboxLevel::kNone ? kOpenFilesWithoutSandbox : kOpenFiles;
  request.processors = options.processors;
  return request;
}

Result<HostImpl::Memory> HostImpl::Share(const HostOptions& options) {
  using wire::PeerAccess;
  using wire::SharedMemory;
  constexpr std::size_t kControl_bytes =
      (sizeof(wire::Control) + wire::kPageBytes - 1) / wire::kPageBytes * wire::kPageBytes;
  auto control = SharedMemory::Create("assay-control", kControl_bytes, PeerAccess::kReadWrite);
  auto inputs = SharedMemory::Create("assay-inputs", wire::kArenaBytes, PeerAccess::kReadOnly);
  auto outputs = SharedMemory::Create("assay-outputs", wire::kArenaBytes, PeerAccess::kReadWrite);
  for (const auto* memory : {&control, &inputs, &outputs}) {
    if (!*memory) {
      return std::unexpected(memory->error());
    }
  }
  Memory shared{.control = std::move(*control),
                .inputs = std::move(*inputs),
                .outputs = std::move(*outputs),
                .device = std::nullopt};
  if (options.device) {
    auto device =
        SharedMemory::Create("assay-device", wire::kDeviceMessageBytes, PeerAccess::kReadWrite);
    if (!device) {
      return std::unexpected(std::move(device).error());
    }
    shared.device = std::move(*device);
  }
  return shared;
}

HostImpl::Outcome<std::unique_ptr<HostImpl>> HostImpl::Start(const HostOptions& options) {
  auto memory = Share(options);
  if (!memory) {
    return OurFault(memory.error());
  }
  const bool may_spin = MaySpin(options.processors);
  const Spin spin{.ours = may_spin ? options.spin : nanoseconds(0),
                  .hosts = may_spin ? kHostSpin : nanoseconds(0)};
  auto* control = new (memory->control.data()) wire::Control{};
  control->magic = wire::kMagic;
  control->version = wire::kVersion;
  control->host_spin_ns = static_cast<std::uint64_t>(spin.hosts.count());
  control->device_bytes = memory->device ? memory->device->size_bytes() : 0;

  std::unique_ptr<DeviceService> device;
  if (options.device) {
    auto made = options.device();
    if (!made) {
      return OurFault(made.error());
    }
    device = std::move(*made);
  }
  auto process = Spawn(options.level, RequestFor(options, *memory));
  if (!process) {
    return OurFault(process.error());
  }
  std::unique_ptr<HostImpl> host(
      new HostImpl(options, std::move(*memory), std::move(device), std::move(*process), spin));
  if (auto greeted = host->Greet(); !greeted) {
    return std::unexpected(greeted.error());
  }
  return host;
}

HostImpl::Outcome<void> HostImpl::Greet() {
  constexpr std::string_view kActivity = "before it could be asked anything";
  Deadline deadline = DeadlineFromNow(options_.start_limit);
  if (auto hello = Await(deadline, kActivity); !hello) {
    return hello;
  }
  // Static constructors may use the device.
  while (incoming_type() == wire::FrameType::kDeviceCall) {
    if (auto next = ServeDevice(&deadline, kActivity); !next) {
      return next;
    }
  }
  auto operations = ParseHello(incoming());
  if (!operations) {
    return Fail(Verdict::kRejected, fmt::format("malformed hello: {}", operations.error()));
  }
  operations_ = std::move(*operations);
  return {};
}

}  // namespace assay
