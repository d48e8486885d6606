#!/usr/bin/env bash
# Plans FLEET; with AGAINST_SNAPSHOT on the stored snapshot in $RUNNER_TEMP/snapshot, with SITE only these sites. If
# another job has VALIDATED the files, their lines are not annotated again.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$results"
options=(--format github --out "$results/plan.json")
options+=(--report "markdown=$results/report.md" --report "summary=$results/summary.md")
options+=(--report "html=$results/report.html")
if [[ -n ${AGAINST_SNAPSHOT:-} ]]; then
  options+=(--against "$RUNNER_TEMP/snapshot/snapshot.json")
fi
if [[ -n ${SITE:-} ]]; then options+=(--site "$SITE"); fi
compare_with_base
add_options

annotated=$RUNNER_TEMP/annotated
: >"$annotated"
if [[ -n ${VALIDATED:-} ]]; then
  { node "$wlanctl" validate --format github -- "$FLEET" 2>/dev/null || :; } | { grep '^::[a-z]* file=' || :; } >"$annotated"
fi
run_program plan "${options[@]}" -- "$FLEET" >"$RUNNER_TEMP/plan.log"
grep --invert-match --line-regexp --fixed-strings --file="$annotated" "$RUNNER_TEMP/plan.log" || :
if [[ ! -f $results/report.md ]]; then give_up 'Plan: not made' "$(reason)"; fi
exit "$code"
