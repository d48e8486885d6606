#!/usr/bin/env bash
# Packs the package of the version in TAG to $RUNNER_TEMP/package, with the changelog section and the SBOM of that version. The tag
# must match the version in package.json, and the changelog must have its section.
set -euo pipefail

version=$(jq --raw-output .version package.json)
if [[ $TAG != "v$version" ]]; then
  echo "::error::The tag does not name version $version, which package.json does" >&2
  exit 1
fi

package=$RUNNER_TEMP/package
mkdir -p "$package"
awk -v heading="## [$version]" '
  /^## / { inside = index($0, heading) == 1; next }
  inside && !/^\[[^]]*\]: / { print }
' CHANGELOG.md >"$package/notes.md"
if ! grep --quiet '[[:graph:]]' "$package/notes.md"; then
  echo "::error::CHANGELOG.md says nothing of version $version" >&2
  exit 1
fi

npm ci --ignore-scripts
npm run build
npm pack --ignore-scripts --pack-destination "$package"
npm run --silent sbom >"$package/wlanctl-$version.cdx.json"
