#!/usr/bin/env bash
# plan.sh OPTION…: plans the fleet, with a report for each place where GitLab shows one.
set -euo pipefail

code=0
node "$WLANCTL" plan . "$@" --out "$RESULTS/plan.json" --report "markdown=$RESULTS/plan.md" \
  --report "html=$RESULTS/plan.html" --report "codequality=$RESULTS/codequality.json" 2>"$RESULTS/stderr" || code=$?
cat "$RESULTS/stderr" >&2

# The widget of Terraform needs exactly these three counts (docs.gitlab.com, "artifacts:reports:terraform"). wlanctl neither
# creates nor deletes WLANs.
if [[ -f $RESULTS/plan.json ]]; then
  # shellcheck disable=SC2016 # JavaScript, not a command.
  node --print 'JSON.stringify({ create: 0, update: JSON.parse(require("fs").readFileSync(process.argv[1])).summary.changed, delete: 0 })' \
    "$RESULTS/plan.json" >"$RESULTS/counts.json"
fi
exit "$code"
