#!/usr/bin/env bash
# Stores a snapshot of FLEET without secrets. A site that cannot be read keeps its state in the last snapshot. If no
# snapshot can be taken, the last one stays.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

earlier=$RUNNER_TEMP/snapshot/snapshot.json
snapshot=$results/stored/snapshot.json
mkdir -p "$results/stored"
keep=()
if [[ -f $earlier ]]; then keep=(--keep "$earlier"); fi
run_program snapshot --format github "${keep[@]}" --out "$results/stored/snapshot.json" -- "$FLEET"
if [[ $code == 3 && -f $earlier ]]; then
  echo '::notice::Taking the snapshot without the earlier one, which may be what is wrong' >&2
  run_program snapshot --format github --out "$results/stored/snapshot.json" -- "$FLEET"
fi
if [[ ! -f $snapshot && -f $earlier ]]; then cp "$earlier" "$snapshot"; fi
exit "$code"
