#!/usr/bin/env bash
# Refuses a COMMIT that is no longer the last one of DEFAULT_BRANCH, because its plan waited too long.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

trap 'give_up "$TITLE: nothing was sent" "GitHub did not answer: run this job again"' ERR
require_tip "$TITLE" 'Run the workflow again on the new commit.'
