// SPDX-License-Identifier: Apache-2.0
// Apart from reference_test_support.cc, so that only this is compiled once a challenge.
#include "reference_test_support.h"

namespace assay {

ReferenceUnderTest Reference() {
  return {.challenge = ASSAY_TEST_CHALLENGE,
          .installation = {.sources = ASSAY_TEST_ROOT, .build = ASSAY_TEST_BUILD}};
}

}  // namespace assay
