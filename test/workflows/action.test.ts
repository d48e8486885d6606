import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { ROOT } from '../support/program.ts'
import { desk } from './fake/script.ts'

/** The release of the action, with the repository that built it. */
const release = { version: packageJson.version, repository: 'github:acme/wlanctl' }

const GITHUB = 'https://token.actions.githubusercontent.com'
const SIGNER = `https://github.com/acme/wlanctl/.github/workflows/release.yml@refs/tags/v${release.version}`

/** The names in a certificate of Fulcio: issued for `signer`, as identified by `issuer`. */
function certificate(signer: string, issuer = GITHUB): string {
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -outform DER'
  const names = [`subjectAltName=URI:${signer}`, `1.3.6.1.4.1.57264.1.1=ASN1:UTF8String:${issuer}`]
  const words = [...request.split(' '), '-subj', '/', ...names.flatMap(name => ['-addext', name])]
  return execFileSync('openssl', words, { stdio: 'pipe' }).toString('base64')
}

/** The output of npm 11 for a package with verified provenance. */
function audited(rawBytes: string, version = release.version) {
  const bundle = (predicateType: string, certificate: object) => ({
    predicateType,
    bundle: { verificationMaterial: certificate }
  })
  const attestationBundles = [
    bundle('https://github.com/npm/attestation/tree/main/specs/publish/v0.1', { publicKey: {} }),
    bundle('https://slsa.dev/provenance/v1', { certificate: { rawBytes } })
  ]
  return { invalid: [], missing: [], verified: [{ name: 'wlanctl', version, attestationBundles }] }
}

/** A machine with the action and a stub of npm, which logs its calls and their directories. */
function machine(audit: object = audited(certificate(SIGNER)), npmPackage: object = release) {
  const made = desk()
  const { write, command } = made
  const action = dirname(write('wlanctl/.github/actions/wlanctl/any', ''))
  cpSync(join(ROOT, '.github/actions/wlanctl'), action, { recursive: true })
  write('wlanctl/package.json', JSON.stringify(npmPackage))
  const answer = write('audit.json', JSON.stringify(audit))
  command(
    'npm',
    `echo "$PWD: npm $*" >&2
if [[ $1 == install ]]; then
  mkdir -p node_modules/wlanctl
  echo '{"version": "${release.version}"}' >node_modules/wlanctl/package.json
else
  cat '${answer}'
fi`
  )
  const install = () => made.run('actions/wlanctl/install.sh', { GITHUB_ACTION_PATH: action })
  return { ...made, install }
}

describe('the action', () => {
  it('installs its own version, outside of the checkout and without scripts', async () => {
    const { install, temp } = machine()
    const unchecked = `${temp}/wlanctl.unchecked`
    const { code, log } = await install()
    expect({ code, log }).toMatchObject({ code: 0 })
    const [first = '', audit = ''] = log.trim().split('\n')
    expect(first).toMatch(new RegExp(`^${unchecked}: npm install .*--ignore-scripts`))
    expect(first).toMatch(new RegExp(` wlanctl@${release.version.replaceAll('.', '\\.')}$`))
    expect(audit).toMatch(new RegExp(`^${unchecked}: npm audit signatures --prefix ${unchecked} `))
  })

  it('ignores an .npmrc of the checkout', async () => {
    const { install, command, write } = machine()
    write('checkout/.npmrc', 'node-options=--require ./trap.js\nscript-shell=./trap.sh\n')
    const npm = join(dirname(process.execPath), 'npm')
    command('npm', `for name in node-options script-shell; do '${npm}' config get $name; done`)
    const { log } = await install()
    expect(log).not.toContain('trap')
  })

  it('installs once, and again for another version', async () => {
    const { install, write } = machine()
    expect((await install()).log).toContain('npm install')
    expect(await install()).toMatchObject({ code: 0, log: '' })
    write('temp/wlanctl/node_modules/wlanctl/package.json', '{"version": "0.0.1"}')
    expect((await install()).log).toContain('npm install')
  })

  const other = (from: string, to: string) => audited(certificate(SIGNER.replace(from, to)))

  it.each<[string, object, RegExp]>([
    ['without provenance', { invalid: [], missing: [], verified: [] }, /has no provenance/],
    ['of another version', audited(certificate(SIGNER), '0.0.1'), /has no provenance/],
    ['without a signature', { ...audited(''), missing: [{}] }, /signature .*missing or invalid/],
    ['with a wrong signature', { ...audited(''), invalid: [{}] }, /signature .*missing or invalid/],
    ['that npm does not report', { invalid: [], missing: [] }, /npm cannot show provenance/],
    [
      'of another repository',
      other('acme/wlanctl', 'acme/wlanctI'),
      /expected a package signed by/
    ],
    ['of another workflow', other('release.yml', 'other.yml'), /expected a package signed by/],
    ['of another tag', other('tags/v', 'tags/v9'), /expected a package signed by/],
    ['of a branch', other('refs/tags/', 'refs/heads/'), /expected a package signed by/],
    [
      'of an identity from another issuer',
      audited(certificate(SIGNER, 'https://issuer.example')),
      /expected a certificate for an identity of/
    ]
  ])('installs no package %s', async (_, audit, problem) => {
    const { install, temp } = machine(audit)
    for (const _ of [1, 2]) {
      const { code, log } = await install()
      expect({ code, log }).toEqual({ code: 1, log: expect.stringMatching(problem) })
      expect(log).toContain('::error title=wlanctl::wlanctl')
    }
    expect(existsSync(join(temp, 'wlanctl'))).toBe(false)
  })

  it('installs nothing if npm cannot verify the package, or no repository is named', async () => {
    const { install, command } = machine({}, { version: release.version })
    expect(await install()).toMatchObject({
      code: 1,
      log: expect.stringContaining('expected the repository of the release')
    })
    command('npm', '[[ $1 != audit ]]')
    expect(await install()).toMatchObject({ code: 1 })
  })

  it('passes each line as one argument, and replaces itself with the program', async () => {
    const { run, program } = desk()
    program('console.log(JSON.stringify(process.argv.slice(2))); process.exit(5)')
    const arguments_ = '--site\nhq *\n$(id)\n\n--quiet\n'
    const { code, log } = await run('actions/wlanctl/run.sh', {
      COMMAND: 'plan',
      ARGUMENTS: arguments_
    })
    expect(code).toBe(5)
    expect(JSON.parse(log)).toEqual(['plan', '--site', 'hq *', '$(id)', '--quiet'])
  })

  it('passes a signal to the program', async () => {
    const { start, program } = desk()
    program(`process.on('SIGINT', () => process.exit(130))
      setInterval(() => undefined, 1000)
      console.log('ready')`)
    const running = start('actions/wlanctl/run.sh', { COMMAND: 'apply', ARGUMENTS: '' })
    await running.until(/ready/)
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130 })
  })
})
