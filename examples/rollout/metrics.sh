#!/bin/sh
# The metrics command of a judged rollout: answers with the clients of the WLANs of each site, from the simulator
# (`wlanctl simulate --clients`). It needs curl, jq, and METRICS_TOKEN_FILE, a file with a token of its own that only reads.
#
# stdin:  {"phase": "before", "wave": "canary", "at": "...", "sites": [{"id": "...", "name": "lab", "role": "changed", "wlans": ["..."]}]}
# stdout: {"sites": [{"id": "...", "clients": 41}]}
#
# `at` is the time whose clients are wanted, which may be in the past. A site that cannot be read is absent from the answer: it must
# not be a site with 0 clients.
#
# The real service has other statistics; its public documentation describes a list of the connected clients of a site, each with
# `wlan_id`, in pages: /api/v1/sites/SITE/stats/clients. Read all pages of it instead of the path below, and count with
#   map(select(.wlan_id as $wlan | $wlans | index($wlan))) | { id: $id, clients: length }
# That list is of now: for an earlier `at`, answer from what you recorded then. All this is untested: the description of the
# interface that wlanctl follows contains no statistics.
set -eu
authorization="header = \"Authorization: Token $(cat "$METRICS_TOKEN_FILE")\""

clients_of() { # SITE TIME WLANS
  # curl reads the token from stdin: arguments are visible to other users.
  counts=$(
    printf '%s\n' "$authorization" |
      curl --config - --silent --fail --max-time 20 "$WLANCTL_BASE_URL/simulator/sites/$1/clients?at=$2"
  ) && printf '%s\n' "$counts" | jq --arg id "$1" --argjson wlans "$3" '
    [.wlans[] | select(.id as $wlan | $wlans | index($wlan)) | .clients]
    | if length > 0 then { id: $id, clients: add } else empty end'
}

tab=$(printf '\t')
jq --raw-output '.at as $at | .sites[] | [.id, ($at | @uri), (.wlans | tojson)] | join("\t")' |
  while IFS=$tab read -r id at wlans; do
    clients_of "$id" "$at" "$wlans" || echo "no client count of $id" >&2
  done |
  jq --slurp '{ sites: . }'
