// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "emulator/device/launch_limits.h"
#include "emulator/device/launch_summary.h"
#include "emulator/device/modules.h"
#include "emulator/device/stream_races.h"
#include "emulator/device/workspaces.h"
#include "emulator/exec/launch.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/memory_checker.h"
#include "emulator/model/occupancy.h"
#include "emulator/ops/variants.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

// Of the numbers of cudaError_t.
constexpr int kFirstSticky = cuda_error::kIllegalAddress;

std::uint64_t MemoryLimit(const DeviceOptions& options) {
  if (options.memory_limit_bytes != 0) {
    return std::min(options.memory_limit_bytes, options.model.memory_bytes);
  }
  const auto pages = static_cast<std::uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  const auto page_bytes = static_cast<std::uint64_t>(std::max(sysconf(_SC_PAGESIZE), 0L));
  return std::min(options.model.memory_bytes, pages * page_bytes / 2);
}

bool IsSticky(int error) {
  return error >= kFirstSticky && error < cuda_error::kCooperativeLaunchTooLarge &&
         error != cuda_error::kLaunchOutOfResources;
}

// A block's, static and dynamic.
std::uint64_t SharedBytes(const LaunchRequest& request, const Program& program) {
  return program.static_shared_bytes + request.dynamic_shared_bytes;
}

class EmulatedDevice final : public Device {
 public:
  EmulatedDevice(DeviceOptions options, std::unique_ptr<GlobalMemory> memory)
      : options_(std::move(options)),
        memory_(std::move(memory)),
        modules_(*memory_),
        workspaces_(*memory_) {
    unsigned workers = options_.workers != 0 ? options_.workers
                                             : std::max(std::thread::hardware_concurrency(), 1U);
    workers = std::min(workers, kMostWorkers);
    for (unsigned i = 0; i < workers; ++i) {
      checkers_.push_back(options_.checking == Checking::kOn ? MemoryChecker::Create(*memory_)
                                                             : nullptr);
    }
  }

  const GpuModel& model() const override { return options_.model; }

  DeviceResult<ModuleId> LoadModule(std::string_view ptx,
                                    std::span<const MachineCode> machine_code) override {
    return modules_.Load(ptx, machine_code);
  }
  DeviceStatus UnloadModule(ModuleId module) override { return modules_.Unload(module); }
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) override {
    return modules_.FindKernel(module, name);
  }
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) override {
    return modules_.FindVariable(module, name);
  }
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) override {
    return memory_->Allocate(size_bytes);
  }
  bool AllocateAt(std::uint64_t address, std::uint64_t size_bytes) override {
    return memory_->AllocateAt(address, size_bytes);
  }
  DeviceStatus Free(std::uint64_t address) override {
    if (const auto allocation = memory_->AllocationOf(address)) {
      races_.Forget(allocation->address, allocation->address + allocation->size_bytes);
    }
    auto freed = memory_->Free(address);
    if (!freed) {
      ReportInvalidFree(address, freed.error().detail);
    }
    return freed;
  }
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) override {
    NoteAccess("a copy to the device", TouchKind::kWrite, to, from.size());
    return memory_->CopyToDevice(to, from);
  }
  DeviceStatus CopyAsUninitialized(std::uint64_t to, std::span<const std::byte> from) override {
    return memory_->CopyAsUninitialized(to, from);
  }
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) override {
    NoteAccess("a copy from the device", TouchKind::kRead, from, to.size());
    return memory_->CopyFromDevice(to, from);
  }
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                            std::uint64_t size_bytes) override {
    NoteAccess("a copy on the device", TouchKind::kRead, from, size_bytes);
    NoteAccess("a copy on the device", TouchKind::kWrite, to, size_bytes);
    return memory_->CopyOnDevice(to, from, size_bytes);
  }
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                    std::uint64_t count) override {
    NoteAccess("a fill", TouchKind::kWrite, to, pattern.size() * count);
    return memory_->Fill(to, pattern, count);
  }
  std::optional<DeviceVariable> AllocationOf(std::uint64_t address) override {
    return memory_->AllocationOf(address);
  }
  MemoryInfo Memory() override { return memory_->Memory(); }
  bool ShareWithHost(std::uint64_t address, std::uint64_t size_bytes) override {
    return memory_->ShareWithHost(address, size_bytes);
  }
  void OnReport(std::function<void(const LaunchReport&)> callback) override {
    on_report_ = std::move(callback);
  }

  LaunchOutcome Launch(const LaunchRequest& request) override;
  std::vector<Finding> Leaks() override;
  void BeginWork(const WorkStamp& stamp) override {
    if (options_.checking == Checking::kOn) {
      work_ = StreamWork{.stamp = stamp};
    }
  }
  void EndWork() override;

 private:
  static constexpr unsigned kMostWorkers = 64;

  static LaunchOutcome Refuse(const DeviceError& why) {
    return {.error = why.code, .detail = why.detail};
  }
  assay::gpu::Launch MakeLaunch(const LaunchRequest& request, const Program& program);
  DeviceStatus PrepareMemory(const LaunchRequest& request, std::uint64_t resident_blocks,
                             assay::gpu::Launch& launch);
  LaunchOutcome EndLaunch(const assay::gpu::Launch& launch, const LaunchResult& result,
                          LaunchReport report);
  void ReportUndecoded(const LaunchRequest& request, const LoadedKernel& kernel,
                       const DeviceError& error);
  void ReportInvalidFree(std::uint64_t address, const std::string& detail);
  /// Of the piece of work that is being done, if it is one.
  void NoteAccess(const char* what, TouchKind kind, std::uint64_t address,
                  std::uint64_t size_bytes);
  std::vector<Finding> RacesOf(const assay::gpu::Launch& launch);
  void Print(const Printed& printed) const;
  void Publish(const LaunchReport& report) const {
    if (on_report_) {
      on_report_(report);
    }
  }

  DeviceOptions options_;
  std::unique_ptr<GlobalMemory> memory_;
  Modules modules_;
  std::vector<std::unique_ptr<MemoryChecker>> checkers_;
  std::function<void(const LaunchReport&)> on_report_;
  std::uint64_t launches_ = 0;
  bool faulted_ = false;  // A launch ended with an error that stays: nothing can be freed any more.
  Workspaces workspaces_;
  StreamRaces races_;
  std::optional<StreamWork> work_;
};

// What the kernel runs as; its number is the next.
assay::gpu::Launch EmulatedDevice::MakeLaunch(const LaunchRequest& request,
                                              const Program& program) {
  assay::gpu::Launch launch{
      .program = &program,
      .options = &options_,
      .memory = memory_.get(),
      .grid = request.grid,
      .block = request.block,
      .threads_per_block = request.block[0] * request.block[1] * request.block[2],
      .shared_bytes = static_cast<std::uint32_t>(SharedBytes(request, program)),
      .dynamic_shared_bytes = static_cast<std::uint32_t>(request.dynamic_shared_bytes),
      .local_bytes = program.local_bytes,
      .parameters = request.parameters.data(),
      .parameter_bytes = static_cast<std::uint32_t>(request.parameters.size()),
      .number = launches_++};
  if (program.uses_reserved_shared) {
    launch.shared_bytes = (launch.shared_bytes + 15) / 16 * 16 + kReservedSharedBytes;
  }
  launch.footprint = work_ ? &work_->footprint : nullptr;
  launch.warps_per_block = (launch.threads_per_block + kWarpSize - 1) / kWarpSize;
  return launch;
}

// `resident_blocks`: those that the GPU holds at once.
DeviceStatus EmulatedDevice::PrepareMemory(const LaunchRequest& request,
                                           std::uint64_t resident_blocks,
                                           assay::gpu::Launch& launch) {
  if (request.cooperative) {
    const std::uint64_t blocks = BlocksOf(request.grid);
    if (blocks > resident_blocks) {
      return std::unexpected(DeviceError{
          .code = cuda_error::kCooperativeLaunchTooLarge,
          .detail = fmt::format("{} blocks; {} fit on the GPU together", blocks, resident_blocks)});
    }
    if (auto prepared = workspaces_.PrepareGridBarrier(launch); !prepared) {
      return prepared;
    }
  }
  return launch.program->uses_heap ? workspaces_.PrepareHeap(launch) : DeviceStatus{};
}

LaunchOutcome EmulatedDevice::Launch(const LaunchRequest& request) {
  LoadedKernel* kernel = modules_.Kernel(request.kernel);
  if (kernel == nullptr) {
    return Refuse({.code = cuda_error::kInvalidDeviceFunction, .detail = "no such kernel"});
  }
  const auto program = modules_.ProgramOf(*kernel, options_);
  if (!program) {
    ReportUndecoded(request, *kernel, program.error());
    return Refuse(program.error());
  }
  if (const auto refusal =
          LaunchRefusal(options_.model, request, *kernel, SharedBytes(request, **program))) {
    return Refuse(*refusal);
  }
  assay::gpu::Launch launch = MakeLaunch(request, **program);
  const Occupancy occupancy =
      TheoreticalOccupancy(options_.model, kernel->info.resources, launch.threads_per_block,
                           request.dynamic_shared_bytes);
  const std::uint64_t resident_blocks =
      std::uint64_t{std::max(occupancy.blocks_per_sm, 1U)} * options_.model.multiprocessors;
  if (const auto prepared = PrepareMemory(request, resident_blocks, launch); !prepared) {
    return Refuse(prepared.error());
  }
  if (options_.stop != nullptr) {
    options_.stop->kernel_runs = true;
  }
  const LaunchResult result =
      RunLaunch(launch, checkers_, resident_blocks,
                request.cooperative ? Residency::kAll : Residency::kAsNeeded);
  LaunchReport report =
      ReportOf(launch, result, *memory_, options_.model, kernel->info.resources, occupancy);
  return EndLaunch(launch, result, std::move(report));
}

LaunchOutcome EmulatedDevice::EndLaunch(const assay::gpu::Launch& launch,
                                        const LaunchResult& result, LaunchReport report) {
  for (const Printed& printed : result.printed) {
    Print(printed);
  }
  faulted_ = faulted_ || IsSticky(result.fault.error);
  if (work_ && result.fault.error == 0) {
    std::ranges::move(RacesOf(launch), std::back_inserter(report.findings));
  }
  Publish(report);
  return {.error = result.fault.error,
          .sticky = IsSticky(result.fault.error),
          .detail = result.fault.detail,
          .modelled_time_ns = report.modelled_time_ns};
}

void EmulatedDevice::ReportUndecoded(const LaunchRequest& request, const LoadedKernel& kernel,
                                     const DeviceError& error) {
  LaunchReport report{.launch = launches_++,
                      .kernel = kernel.info.name,
                      .grid = request.grid,
                      .block = request.block};
  report.error = error.code;
  report.error_detail = error.detail;
  Publish(report);
}

void EmulatedDevice::NoteAccess(const char* what, TouchKind kind, std::uint64_t address,
                                std::uint64_t size_bytes) {
  if (work_ && size_bytes != 0) {
    work_->name = what;
    work_->footprint.Add(kind, {.begin = address, .end = address + size_bytes});
  }
}

// Of a launch that is over, without what the GPU itself keeps in memory for launches.
std::vector<Finding> EmulatedDevice::RacesOf(const assay::gpu::Launch& launch) {
  StreamWork work = std::move(*work_);
  work_.reset();
  work.name = launch.program->demangled;
  work.launch = launch.number;
  workspaces_.EraseFrom(work.footprint);
  work.sites = SitesOf(launch, work.footprint);
  return races_.Add(std::move(work));
}

void EmulatedDevice::EndWork() {
  if (!work_ || work_->footprint.size() == 0) {
    work_.reset();
    return;
  }
  LaunchReport report;  // Of no kernel: a copy's or a fill's.
  report.launch = work_->launch = launches_;
  report.findings = races_.Add(std::move(*work_));
  work_.reset();
  if (!report.findings.empty()) {
    Publish(report);
  }
}

void EmulatedDevice::ReportInvalidFree(std::uint64_t address, const std::string& detail) {
  Finding finding{.checker = Checker::kMemcheck,
                  .kind = FindingKind::kInvalidFree,
                  .launch = launches_,
                  .space = MemorySpace::kGlobal,
                  .address = address,
                  .nearest = memory_->Nearest(address),
                  .note = detail};
  LaunchReport report;
  report.launch = launches_;
  report.findings.push_back(std::move(finding));
  Publish(report);
}

std::vector<Finding> EmulatedDevice::Leaks() {
  std::vector<Finding> findings;
  if (faulted_) {
    return findings;
  }
  for (const Allocation& leak : memory_->Leaks()) {
    findings.push_back(
        {.checker = Checker::kMemcheck,
         .kind = FindingKind::kLeak,
         .launch = launches_,
         .space = MemorySpace::kGlobal,
         .address = leak.address,
         .nearest = NearestAllocation{.address = leak.address, .size_bytes = leak.size_bytes}});
  }
  return findings;
}

void EmulatedDevice::Print(const Printed& printed) const {
  if (options_.print) {
    options_.print(printed.text);
  } else {
    std::fwrite(printed.text.data(), 1, printed.text.size(),
                printed.stream == PrintStream::kOut ? stdout : stderr);
  }
}

}  // namespace

DeviceResult<std::unique_ptr<Device>> Device::Create(DeviceOptions options) {
  if (auto why = WhyNoHandlers()) {
    return std::unexpected(DeviceError{.code = cuda_error::kNoDevice, .detail = std::move(*why)});
  }
  auto memory = GlobalMemory::Create(MemoryLimit(options), options.seed);
  if (!memory) {
    return std::unexpected(std::move(memory.error()));
  }
  return std::make_unique<EmulatedDevice>(std::move(options), std::move(*memory));
}

}  // namespace assay::gpu
