// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_SUITE_MAIN_H_
#define ASSAY_CLIENT_SUITE_MAIN_H_

#include "client/device_provider.h"

namespace assay {

/// The main of every suite (link assay::suite_main for a main that calls it): runs the cases that
/// --gtest_filter selects against the host of --assay_host and writes the results in one step at
/// the end. On stdout one line `@case <done> <total> <name> <verdict>` for each case, on stderr the
/// reason of each case that is not accepted.
///
/// `devices` makes what gives hosts their devices, from the command line; none: no host has one.
///
/// Returns 0 when the results say what the host is worth, whatever the verdicts; 2 for a bad
/// command line, with no results; 3 when the run itself failed, with the reason in the results.
int SuiteMain(int argc, char** argv, const DeviceProviderFactory& devices = {});

}  // namespace assay

#endif  // ASSAY_CLIENT_SUITE_MAIN_H_
