// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/launch.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <span>
#include <thread>
#include <utility>

#include "emulator/core/program.h"
#include "emulator/exec/start_order.h"

namespace assay::gpu {
namespace {

Worker MakeWorker(const Program& program, MemoryChecker* checker) {
  Worker worker;
  worker.checker = checker;
  worker.accesses.resize(program.instructions.size());
  worker.blocks.resize(program.blocks.size());
  worker.divergent.resize(program.instructions.size());
  return worker;
}

void AddUp(const Worker& worker, LaunchResult& result) {
  for (std::size_t i = 0; i < result.accesses.size(); ++i) {
    result.accesses[i] += worker.accesses[i];
    result.divergent[i] += worker.divergent[i];
  }
  for (std::size_t i = 0; i < result.blocks.size(); ++i) {
    result.blocks[i].warps += worker.blocks[i].warps;
    result.blocks[i].threads += worker.blocks[i].threads;
  }
  result.printed.insert(result.printed.end(), worker.printed.begin(), worker.printed.end());
}

// What one block printed is in order already.
void InScheduleOrder(std::vector<Printed>& printed) {
  std::map<std::uint64_t, std::vector<Printed>> by_position;
  for (Printed& each : printed) {
    by_position[each.position].push_back(std::move(each));
  }
  printed.clear();
  for (auto& [position, of_block] : by_position) {
    std::ranges::move(of_block, std::back_inserter(printed));
  }
}

// The fault of the block that came first in the schedule.
void TakeFault(const std::vector<Worker>& workers, std::uint64_t last_position,
               LaunchResult& result) {
  for (const Worker& worker : workers) {
    if (worker.fault.error != 0 && worker.fault_position == last_position) {
      result.fault = worker.fault;
    }
  }
}

// What blocks did that come after the one that ended the launch: only some of them ran.
void LeaveOutBehind(std::uint64_t last_position, FindingLog& findings,
                    std::vector<Printed>& printed) {
  findings.KeepUpTo(last_position);
  std::erase_if(printed, [&](const Printed& each) { return each.position > last_position; });
}

// What all workers counted and found, as if one had run all blocks in schedule order.
LaunchResult Merge(const Launch& launch, const std::vector<Worker>& workers,
                   const std::vector<MemoryChecker*>& checkers, const SharedProgress& progress) {
  LaunchResult result;
  result.accesses.resize(launch.program->instructions.size());
  result.blocks.resize(launch.program->blocks.size());
  result.divergent.resize(launch.program->instructions.size());
  FindingLog findings;
  for (const Worker& worker : workers) {
    AddUp(worker, result);
    findings.MergeFrom(worker.findings);
  }
  if (!checkers.empty()) {
    MemoryChecker::FinishLaunch(checkers, launch, findings, result.traffic);
  }
  if (const std::uint64_t last = progress.last_position; last != ~std::uint64_t{0}) {
    TakeFault(workers, last, result);
    if (!WasStopped(launch)) {
      LeaveOutBehind(last, findings, result.printed);
    }
  }
  findings.Sort();
  result.findings = findings.records();
  InScheduleOrder(result.printed);
  return result;
}

}  // namespace

LaunchResult RunLaunch(const Launch& launch,
                       const std::vector<std::unique_ptr<MemoryChecker>>& checkers,
                       std::uint64_t window, Residency residency) {
  const auto start = std::chrono::steady_clock::now();
  const Program& program = *launch.program;
  const std::uint64_t blocks = BlocksOf(launch.grid);
  const StartOrder order(launch.options->schedule, launch.options->seed ^ launch.number, blocks,
                         window);
  const bool sequential = program.order_sensitive || residency == Residency::kAll;
  const std::size_t count =
      sequential ? 1 : static_cast<std::size_t>(std::min<std::uint64_t>(checkers.size(), blocks));

  std::vector<Worker> workers;
  workers.reserve(count);
  std::vector<MemoryChecker*> active;
  for (std::size_t i = 0; i < count; ++i) {
    workers.push_back(MakeWorker(program, checkers[i].get()));
    if (checkers[i] != nullptr) {
      active.push_back(checkers[i].get());
      checkers[i]->BeginLaunch(launch, workers.back(),
                               sequential ? BlockOrder::kSequential : BlockOrder::kIndependent);
    }
  }
  SharedProgress progress;
  const auto run = [&](Worker& worker) {
    Scheduler(launch, order, worker, progress, residency).Run();
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) {
      threads.emplace_back(run, std::ref(workers[i]));
    }
    run(workers[0]);
  }

  LaunchResult result = Merge(launch, workers, active, progress);
  result.emulation_time_ns = static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  return result;
}

}  // namespace assay::gpu
