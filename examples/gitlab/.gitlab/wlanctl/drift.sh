#!/usr/bin/env bash
# Checks the fleet for drift, and takes a snapshot for the merge requests of forks. $STORED has what earlier checks stored. A
# check that fails stores nothing, so that the next one starts from the last good one.
set -euo pipefail

# check OPTION…: leaves the exit code in `code`.
check() {
  code=0
  node "$WLANCTL" drift . "$@" --report "json=$RESULTS/drift.json" --report "markdown=$RESULTS/drift.md" \
    --report "junit=$RESULTS/drift.xml" --report "prometheus=$RESULTS/wlanctl.prom" --report "html=$RESULTS/drift.html" \
    2>"$RESULTS/stderr" || code=$?
  cat "$RESULTS/stderr" >&2
}

since=()
# The reports say since when a field differs; the snapshot has the fields that no file declares.
for earlier in "$STORED"/drift-*.json "$STORED/snapshot.json"; do
  if [[ -f $earlier ]]; then since+=(--since "$earlier"); fi
done
check "${since[@]}"
if [[ $code == 3 && ${#since[@]} -gt 0 ]]; then
  echo 'Checking again without the earlier reports, which may be what is wrong' >&2
  check
fi
echo "$code" >"$RESULTS/exit-code"

# A site that cannot be read stays as the last snapshot has it.
keep=()
if [[ -f $STORED/snapshot.json ]]; then keep=(--keep "$STORED/snapshot.json"); fi
if [[ -f $RESULTS/drift.json ]]; then
  node "$WLANCTL" snapshot . "${keep[@]}" --out "$RESULTS/snapshot.json" >/dev/null || echo 'The snapshot lacks sites, or could not be taken' >&2
fi
exit "$code"
