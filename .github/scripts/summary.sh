#!/usr/bin/env bash
# Puts the report of a run into the summary of the step, and the plan's counts and digest, and
# nothing else of it, into the outputs.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -n ${INTRODUCTION:-} ]]; then printf '%s\n\n' "$INTRODUCTION" >>"$GITHUB_STEP_SUMMARY"; fi
if [[ -f $results/summary.md ]]; then cat "$results/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi

plan=$results/plan.json
if [[ ! -f $plan ]]; then exit 0; fi
for count in changed blocked sites_failed; do
  output "${count//_/-}" "$(jq --arg count "$count" '.summary[$count] | numbers' "$plan")"
done
output digest "$(jq --raw-output '.digest | select(test("^sha256:[0-9a-f]{64}$"))' "$plan")"
