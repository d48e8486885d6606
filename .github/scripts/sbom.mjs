// npm run sbom: prints the libraries that dist/ contains as CycloneDX. npm lists every package of the lock file with hash and licence, all of
// them for development only; the build says which of them it bundled. With `--node`, Node is a component, too: it is part of the executable.
import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { argv, stdout, version } from 'node:process'

const bundled = new Set(JSON.parse(readFileSync('build/bundled.json', 'utf8')))
const { name } = JSON.parse(readFileSync('package.json', 'utf8'))
const all = JSON.parse(
  execSync('npm sbom --sbom-format cyclonedx --package-lock-only', {
    encoding: 'utf8',
    maxBuffer: 2 ** 26
  })
)

const node = {
  'bom-ref': `node@${version.slice(1)}`,
  type: 'platform',
  name: 'node',
  version: version.slice(1),
  purl: `pkg:github/nodejs/node@${version}`
}
const { component } = all.metadata
const components = all.components
  .filter(each => bundled.has(each['bom-ref']))
  .map(each => ({ ...each, scope: 'required', properties: [] }))
const missing = bundled.size - components.length
if (bundled.size === 0) throw new Error('the build bundled no package')
if (missing > 0) throw new Error(`${missing} bundled packages are not in package-lock.json`)
if (argv.includes('--node')) components.push(node)

const refs = components.map(each => each['bom-ref'])
const sbom = {
  ...all,
  metadata: {
    ...all.metadata,
    lifecycles: [{ phase: 'build' }],
    component: { ...component, type: 'application', name }
  },
  components,
  // Who imports what within the bundle is not recorded: all of it is part of the program.
  dependencies: [
    { ref: component['bom-ref'], dependsOn: refs },
    ...refs.map(ref => ({ ref, dependsOn: [] }))
  ]
}
stdout.write(`${JSON.stringify(sbom, null, 2)}\n`)
