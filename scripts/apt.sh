#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# To be sourced: what scripts ask apt. Run with --help for more.

# Not by `apt-cache show`, which is content with a name that some package mentions.
has_candidate() {
  local candidate
  candidate=$(LC_ALL=C apt-cache policy "$1" | sed -n 's/^  Candidate: //p')
  [[ -n $candidate && $candidate != "(none)" ]]
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  cat <<'EOF'
usage: source scripts/apt.sh

  has_candidate PACKAGE   whether apt can install it
EOF
  [[ ${1:-} == --help ]] && exit 0 || exit 2
fi
