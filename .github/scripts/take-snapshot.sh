#!/usr/bin/env bash
# Stores what the service has of FLEET, secrets left out. A site that cannot be read stays as the last snapshot has it,
# and where none can be taken, that one stays.
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
