// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_FIELDS_H_
#define ASSAY_EMULATOR_REPORT_FIELDS_H_

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "emulator/report/launch_report.h"

/// The keys of a launch in JSON, one function a type, each used for writing and for reading so
/// that the two cannot drift apart. For json.cc, and for gpu/suite/launch_evidence.cc, which gives
/// counters the same names.
namespace assay::gpu::json_fields {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <class V>
void Fields(V& visit, Is<Site> auto& x) {
  visit("file", x.file);
  visit("line", x.line);
  visit("instruction", x.instruction);
  visit("ptx_line", x.ptx_line);
  visit("block", x.block);
  visit("thread", x.thread);
  visit("access", x.access);
}

template <class V>
void Fields(V& visit, Is<NearestAllocation> auto& x) {
  visit("address", x.address);
  visit("size_bytes", x.size_bytes);
  visit("distance_bytes", x.distance_bytes);
  visit("name", x.name);
}

template <class V>
void Fields(V& visit, Is<Finding> auto& x) {
  visit("checker", x.checker);
  visit("kind", x.kind);
  visit("severity", x.severity);
  visit("kernel", x.kernel);
  visit("launch", x.launch);
  visit("site", x.site);
  visit("space", x.space);
  visit("address", x.address);
  visit("size_bytes", x.size_bytes);
  visit("nearest", x.nearest);
  visit("other", x.other);
  visit("stream", x.stream);
  visit("other_stream", x.other_stream);
  visit("other_kernel", x.other_kernel);
  visit("count", x.count);
  visit("note", x.note);
}

template <class V>
void Fields(V& visit, Is<KernelResources> auto& x) {
  visit("registers_per_thread", x.registers_per_thread);
  visit("static_shared_bytes", x.static_shared_bytes);
  visit("constant_bytes", x.constant_bytes);
  visit("local_bytes", x.local_bytes);
  visit("max_threads_per_block", x.max_threads_per_block);
}

/// Counters of zero are left out of JSON, and what is left out is zero.
template <class V>
void Metrics(V& visit, Is<AccessCounters> auto& x, const std::string& space,
             const std::string& operation) {
  const std::string where = "_mem_" + space + "_op_" + operation;
  const std::string pipe = "_pipe_lsu" + where + ".sum";
  visit.Metric(space == "shared" ? "smsp__inst_executed_op_shared_" + operation + ".sum"
                                 : "l1tex__t_requests" + pipe,
               x.requests);
  visit.Metric("smsp__sass_data_bytes" + where + ".sum", x.bytes);
  visit.Metric("l1tex__t_sectors" + pipe, x.sectors);
  visit.Metric("l1tex__data_pipe_lsu_wavefronts" + where + ".sum", x.wavefronts);
  visit.Metric("assay__threads" + where, x.threads);
  visit.Metric("assay__ideal_sectors" + where, x.ideal_sectors);
  visit.Metric("assay__ideal_wavefronts" + where, x.ideal_wavefronts);
  if (x.wavefronts > x.ideal_wavefronts) {
    visit.Derived("l1tex__data_bank_conflicts" + pipe, x.wavefronts - x.ideal_wavefronts);
  }
}

template <class V>
void Fields(V& visit, Is<LaunchCounters> auto& x) {
  visit.Metric("smsp__inst_executed.sum", x.warp_instructions);
  visit.Metric("smsp__thread_inst_executed.sum", x.thread_instructions);
  visit.Metric("assay__branches", x.branches);
  visit.Metric("assay__divergent_branches", x.divergent_branches);
  visit.Metric("assay__barriers", x.barriers);
  visit.Metric("assay__shuffles", x.shuffles);
  Metrics(visit, x.global_load, "global", "ld");
  Metrics(visit, x.global_store, "global", "st");
  Metrics(visit, x.global_atomic, "global", "atom");
  Metrics(visit, x.global_reduction, "global", "red");
  visit.Metric("assay__vector16_load_bytes", x.vector16_load_bytes);
  Metrics(visit, x.local_load, "local", "ld");
  Metrics(visit, x.local_store, "local", "st");
  Metrics(visit, x.shared_load, "shared", "ld");
  Metrics(visit, x.shared_store, "shared", "st");
  Metrics(visit, x.shared_atomic, "shared", "atom");
  visit.Metric("assay__compulsory_bytes_read", x.compulsory_read_bytes);
  visit.Metric("assay__compulsory_bytes_write", x.compulsory_write_bytes);
  visit.Metric("dram__bytes_read.sum", x.dram_read_bytes);
  visit.Metric("dram__bytes_write.sum", x.dram_write_bytes);
  visit.Metric("lts__t_sectors_op_read.sum", x.l2_read_sectors);
  visit.Metric("lts__t_sectors_op_write.sum", x.l2_write_sectors);
  visit.Metric("assay__flops_f64", x.flops[0]);
  visit.Metric("assay__flops_f32", x.flops[1]);
  visit.Metric("assay__flops_f16", x.flops[2]);
  visit.Metric("assay__flops_tensor", x.flops[3]);
  visit.Metric("assay__special_function_ops", x.special_function_ops);
  visit("assay__thread_inst_executed_by_opcode", x.mix);
}

template <class V>
void Fields(V& visit, Is<AccessCounters> auto& x) {
  visit.Metric("requests", x.requests);
  visit.Metric("threads", x.threads);
  visit.Metric("bytes", x.bytes);
  visit.Metric("sectors", x.sectors);
  visit.Metric("ideal_sectors", x.ideal_sectors);
  visit.Metric("wavefronts", x.wavefronts);
  visit.Metric("ideal_wavefronts", x.ideal_wavefronts);
}

template <class V>
void Fields(V& visit, Is<LineCounters> auto& x) {
  visit("file", x.file);
  visit("line", x.line);
  visit("warp_instructions", x.warp_instructions);
  visit("thread_instructions", x.thread_instructions);
  visit("memory", x.memory);
  visit.Metric("branches", x.branches);
  visit.Metric("divergent_branches", x.divergent_branches);
}

template <class V>
void Fields(V& visit, Is<LaunchReport> auto& x) {
  visit("launch", x.launch);
  visit("kernel", x.kernel);
  visit("grid", x.grid);
  visit("block", x.block);
  visit("dynamic_shared_bytes", x.dynamic_shared_bytes);
  visit("resources", x.resources);
  visit("theoretical_occupancy", x.theoretical_occupancy);
  visit("occupancy_limiter", x.occupancy_limiter);
  visit("modelled_time_ns", x.modelled_time_ns);
  visit("emulation_time_ns", x.emulation_time_ns);
  visit("modelled_limiter", x.modelled_limiter);
  visit("counters", x.counters);
  visit("lines", x.lines);
  visit("findings", x.findings);
  visit("error", x.error);
  visit("error_detail", x.error_detail);
}

}  // namespace assay::gpu::json_fields

#endif  // ASSAY_EMULATOR_REPORT_FIELDS_H_
