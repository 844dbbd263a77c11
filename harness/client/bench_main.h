// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_BENCH_MAIN_H_
#define ASSAY_CLIENT_BENCH_MAIN_H_

namespace assay {

/// The main of every bench (link assay::bench_main for a main that calls it): times the workloads
/// that --benchmark_filter selects in hosts of --assay_host against hosts of --assay_baseline, and
/// writes the results in one step at the end. Prints progress as SuiteMain does, then one line a
/// workload with its ratio. Exit codes are SuiteMain's.
///
/// Workloads take turns in blocks of pairs, in an order that the seed shuffles, until each has an
/// interval that is narrow enough or --assay_bench_seconds are over; the least number of blocks is
/// taken even then, up to three times that time. What the submission takes beyond the baseline does
/// not count there: its starts and untimed calls may take --assay_bench_seconds more than the
/// baseline's in each workload, and four times theirs; past both the workload is over its time
/// limit.
int BenchMain(int argc, char** argv);

}  // namespace assay

#endif  // ASSAY_CLIENT_BENCH_MAIN_H_
