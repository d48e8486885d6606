#!/usr/bin/env bash
# Checks FLEET for drift. That there is some is a result (the output `exit-code`: 2), no failure.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$results/stored"
options=(--format github)
options+=(--report "markdown=$results/report.md" --report "summary=$results/summary.md")
options+=(--report "html=$results/report.html")
options+=(--report "prometheus=$results/wlanctl.prom" --report "json=$results/stored/drift.json")
# An earlier report knows more than a snapshot does: what it says of still earlier ones.
for earlier in drift.json snapshot.json; do
  if [[ -f $RUNNER_TEMP/snapshot/$earlier ]]; then
    options+=(--since "$RUNNER_TEMP/snapshot/$earlier")
    break
  fi
done

node "$wlanctl" drift "${options[@]}" -- "$FLEET" &
program=$!
# A cancelled job tells only this shell, and a signal ends `wait`, not what it waits for.
trap 'kill -TERM "$program" || :' INT TERM
code=0
wait "$program" || code=$?
while kill -0 "$program" 2>/dev/null; do
  code=0
  wait "$program" || code=$?
done

output exit-code "$code"
if [[ $code != 2 ]]; then exit "$code"; fi
