#!/usr/bin/env bash
# Fetches the newest snapshot that the drift check stored on the default branch, if there is one, to
# $RUNNER_TEMP/snapshot. Output: `found`, 1 or 0.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stored "wlanctl-snapshot-$NAME" '.workflow_run.head_branch == env.DEFAULT_BRANCH' \
  "$RUNNER_TEMP/snapshot"
if [[ -f $RUNNER_TEMP/snapshot/snapshot.json ]]; then
  output found 1
else
  echo '::notice::There is no stored snapshot yet; the drift check makes one'
  output found 0
fi
