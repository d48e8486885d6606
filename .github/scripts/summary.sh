#!/usr/bin/env bash
# Adds the report of a run to the summary of the step, and only the counts and digest of the plan to the outputs. If the
# job failed before there was a report, reports the failure.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ ! -f $results/report.md && -n ${TITLE:-} ]]; then
  if [[ -f $wlanctl ]]; then
    give_up "$TITLE" 'The job ended early: its log has the reason'
  else
    give_up "$TITLE" 'wlanctl could not be installed: the log of the step has the reason. Run the job again'
  fi
fi

if [[ -n ${INTRODUCTION:-} ]]; then printf '%s\n\n' "$INTRODUCTION" >>"$GITHUB_STEP_SUMMARY"; fi
if [[ -f $results/summary.md ]]; then cat "$results/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi

output verdict "$(verdict "$results/report.md" | sed 's/^### //')"
plan=$results/plan.json
if [[ ! -f $plan ]]; then exit 0; fi
for count in changed blocked sites_failed; do
  output "${count//_/-}" "$(jq --arg count "$count" '.summary[$count] | numbers' "$plan")"
done
output digest "$(jq --raw-output '.digest | select(test("^sha256:[0-9a-f]{64}$"))' "$plan")"
