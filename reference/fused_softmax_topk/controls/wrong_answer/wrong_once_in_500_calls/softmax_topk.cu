// SPDX-License-Identifier: Apache-2.0
// Right but for one call in 500, in which the last logit of each row is not looked at: a
// counter that runs over, say.

#include "plain_softmax_topk.cuh"

namespace {

int Answer(plain::Call c) {
  static int calls = 0;
  if (++calls % 500 == 0 && c.vocabulary > c.k) c.vocabulary -= 1;
  return plain::Run(c);
}

}  // namespace

PLAIN_EXPORT(Answer);
