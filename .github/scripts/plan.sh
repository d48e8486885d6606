#!/usr/bin/env bash
# Plans FLEET, in place of this shell; with a stored snapshot in $RUNNER_TEMP/snapshot on that.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$results"
options=(--format github --out "$results/plan.json")
options+=(--report "markdown=$results/report.md" --report "summary=$results/summary.md")
options+=(--report "html=$results/report.html")
if [[ -n ${AGAINST_SNAPSHOT:-} ]]; then
  options+=(--against "$RUNNER_TEMP/snapshot/snapshot.json")
fi
compare_with_base

exec node "$wlanctl" plan "${options[@]}" -- "$FLEET"
