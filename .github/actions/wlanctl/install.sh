#!/usr/bin/env bash
# Installs the program of this action's release, in exactly the version of its package.json, without
# install scripts and outside of any checkout. npm runs there and not in the checkout, whose .npmrc
# could make it run other code.
set -euo pipefail

package=$GITHUB_ACTION_PATH/../../../package.json
version=$(jq --raw-output .version "$package")
repository=$(jq --raw-output '.repository | if type == "object" then .url else . end // ""
  | capture("github(?:\\.com[/:]|:)(?<name>[^/]+/[^/]+?)(?:\\.git)?$").name // ""' "$package")
prefix=$RUNNER_TEMP/wlanctl
installed=$prefix/node_modules/wlanctl/package.json

if [[ -f $installed && $(jq --raw-output .version "$installed") == "$version" ]]; then exit 0; fi

# Moves the program to its folder only after verifying the registry's signature and the provenance: the release
# workflow of the repository in package.json must have built it from the tag of this version.
unchecked=$prefix.unchecked
rm -rf "$prefix" "$unchecked"
mkdir -p "$unchecked"
cd "$unchecked"
trap 'echo "::error title=wlanctl::wlanctl $version could not be installed: npm could not fetch it, or its signature or provenance does not hold" >&2' ERR
npm install --prefix "$unchecked" --ignore-scripts --save-exact --no-audit --no-fund "wlanctl@$version"
npm audit signatures --prefix "$unchecked" --json --include-attestations |
  node "$GITHUB_ACTION_PATH/../wlanctl/provenance.mjs" "$repository" "$version"
mv "$unchecked" "$prefix"
