#!/usr/bin/env bash
# Posts TEXT with a link to this run to WEBHOOK_URL, in the format of Microsoft Teams or, for any other address, of
# Slack. A failure is only a warning, because the run reports its result elsewhere, too.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -z ${WEBHOOK_URL:-} || -z ${TEXT:-} ]]; then exit 0; fi
if [[ ! $WEBHOOK_URL =~ ^(https://|http://(127\.0\.0\.1|localhost)[:/])[^[:space:]\"\\]+$ ]]; then
  echo '::warning::WEBHOOK_URL is not an https address' >&2
  exit 0
fi
form=${WEBHOOK_FORM:-auto}
if [[ $form == auto ]]; then
  form=slack
  if [[ $WEBHOOK_URL =~ ^https://[^/]*\.(office|azure|powerplatform|powerautomate)\.com[:/] ]]; then form=teams; fi
fi

text="$NAME: $(tr -d '\000-\037\177' <<<"$TEXT" | cut -c 1-500) $(run_url)"
jq --null-input --arg text "$text" --arg form "$form" '
  def card: {type: "message", attachments: [{contentType: "application/vnd.microsoft.card.adaptive",
    content: {type: "AdaptiveCard", version: "1.4", body: [{type: "TextBlock", text: ., wrap: true}]}}]};
  if $form == "teams" then $text | card
  else {text: ($text | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;"))} end' >"$RUNNER_TEMP/message.json"
# The address is a secret: every process of the machine can read arguments, and a message of curl may contain it.
if ! printf 'url = "%s"\n' "$WEBHOOK_URL" | curl --config - --silent --fail --max-time 20 --retry 2 --output /dev/null \
  --header 'Content-Type: application/json' --data-binary "@$RUNNER_TEMP/message.json"; then
  echo '::warning::The message could not be posted to WEBHOOK_URL' >&2
fi
