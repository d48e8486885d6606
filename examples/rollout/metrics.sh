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
#   map(select(.wlan_id as $wlan | $site.wlans | index($wlan))) | { id: $site.id, clients: length }
# That list is of now: for an earlier `at`, answer from what you recorded then. All this is untested: the description of the
# interface that wlanctl follows contains no statistics.
set -eu
token=$(cat "$METRICS_TOKEN_FILE")
question=$(jq --compact-output .)

# curl reads the token from stdin: other users see the arguments of a process.
requests() {
  printf 'header = "Authorization: Token %s"\n' "$token"
  printf '%s\n' "$question" | jq --raw-output --arg base "$WLANCTL_BASE_URL" '
    (.at | @uri) as $at | .sites[] | "url = \"\($base)/simulator/sites/\(.id | @uri)/clients?at=\($at)\""'
}

{
  printf '%s\n' "$question"
  requests | curl --config - --silent --fail --max-time 20 --write-out '\n' || true
} | jq --raw-input --null-input '
  (input | fromjson) as $question
  | [inputs | fromjson? | objects] as $answers
  | { sites: [
      $question.sites[] as $site
      | $answers[] | select((.id | ascii_downcase) == ($site.id | ascii_downcase))
      | [.wlans[] | select(.id as $wlan | $site.wlans | index($wlan)) | .clients]
      | select(length > 0) | { id: $site.id, clients: add }
    ] }'
