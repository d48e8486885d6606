#!/usr/bin/env bash
# Runs a command in place of this shell, so that a cancelled job reaches the program itself.
set -euo pipefail

arguments=()
while IFS= read -r line; do
  if [[ -n $line ]]; then arguments+=("$line"); fi
done <<<"$ARGUMENTS"

exec node "$RUNNER_TEMP/wlanctl/node_modules/wlanctl/dist/wlanctl.js" "$COMMAND" "${arguments[@]}"
