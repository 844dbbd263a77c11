# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by tests: whether a result set's files are of their formats.

schemas=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../harness/pr/testdata/schemas")

# follows_schemas <folder>: of a result set. Says what does not, and how.
follows_schemas() {
  local outcome=0
  xmllint --noout --nonet --schema "$schemas/junit-4.xsd" "$1/junit.xml" || outcome=1
  # Debian's own Python is the one that has Debian's modules.
  /usr/bin/python3 -m jsonschema --instance "$1/results.sarif" "$schemas/sarif-2.1.0-rtm.5.json" || outcome=1
  # What the first correction of SARIF 2.1.0 adds to that schema.
  jq -e '[.runs[].results[].locations[]?.physicalLocation.region | select(. and (has("startLine") | not))] == []' \
    "$1/results.sarif" >/dev/null || { echo "$1/results.sarif: a region without startLine"; outcome=1; }
  return "$outcome"
}
