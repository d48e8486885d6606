#!/usr/bin/env bash
# Plans to undo the record in $RUNNER_TEMP/record. With SHOWN, a folder with the record and that plan, undoes it as far
# as the plan approves.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$results"
record=${SHOWN:-$RUNNER_TEMP}/record/record.jsonl
options=(--format github --report "markdown=$results/report.md" --report "summary=$results/summary.md")
options+=(--report "html=$results/report.html")
if [[ -z ${SHOWN:-} ]]; then
  title='Revert: not planned'
  options+=(--dry-run --out "$results/plan.json")
  mkdir -p "$results/record" && cp "$record" "$results/record/"
else
  title='Revert: nothing was sent'
  options+=(--yes --plan "$SHOWN/plan.json" --record "$results/record.jsonl")
  if [[ -n ${MAX_PLAN_AGE:-} ]]; then options+=(--max-plan-age "$MAX_PLAN_AGE"); fi
fi
add_options

run_program revert "${options[@]}" -- "$record" "$FLEET"
if [[ -n ${SHOWN:-} ]] && grep --quiet --no-messages '"step":"sending"' "$results/record.jsonl"; then
  mkdir -p "$RUNNER_TEMP/reverted" && cp "$results/record.jsonl" "$RUNNER_TEMP/reverted/"
fi
if [[ ! -f $results/report.md ]]; then
  give_up "$title" "$(reason)"
elif [[ -n ${SHOWN:-} ]]; then
  add_to_report '**The files still declare what was undone**, and the next apply sends it again: revert the pull request, too. Runs on a schedule send nothing until then.'
fi
exit "$code"
