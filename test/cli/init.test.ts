import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { emptyRepository } from '../support/git.ts'
import { HQ } from '../support/ids.ts'
import { folder, ROOT } from '../support/program.ts'
import { secretsIn } from '../support/secrets.ts'
import { hqFile, PSK, type Stage, stage } from '../support/stage.ts'

const NO_SERVICE = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }

/** The files below a folder, sorted. */
function filesBelow({ cwd }: Stage, folder: string): string[] {
  const entries = readdirSync(join(cwd, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(cwd, folder).length + 1))
    .sort()
}

const sites = generateFleet({ sites: 3, wlans: 4, seed: 5 })
const list = sites.map(({ id, name }) => `${id}\t${name}\n`).join('')

describe('init', () => {
  it('writes the files of a repository without the network', async () => {
    const made = await stage()
    const { code, stdout, stderr } = await made.run('init wifi', NO_SERVICE)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(filesBelow(made, 'wifi')).toEqual(
      expect.arrayContaining([
        '.github/CODEOWNERS',
        '.github/wlanctl/package.json',
        '.github/workflows/wlanctl.yml',
        '.gitignore',
        '.vscode/settings.json',
        '.vscode/wlanctl.schema.json',
        'README.md',
        'policy.yaml'
      ])
    )
    expect(stdout).toMatch(/\nNext:\n {2}cd wifi && wlanctl import SITE_ID\n/)
    expect(made.read('wifi/README.md')).toContain('| `wlanctl import SITE_ID` |')
    expect(stdout.split('\nNext:\n')[1]?.match(/^ {2}\S/gm)).toHaveLength(3)
    expect(made.methods()).toEqual([])
  })

  it.each(['github', 'gitlab'])('writes a valid policy and an editor schema: %s', async ci => {
    const made = await stage()
    await made.run(`init wifi --ci ${ci}`, NO_SERVICE)
    made.write('wifi/sites/hq.yaml', `site: { id: ${HQ} }\n`)
    expect(await made.run('validate wifi', NO_SERVICE)).toMatchObject({ code: 0 })
    const settings = JSON.parse(made.read('wifi/.vscode/settings.json'))
    const [schema = ''] = Object.keys(settings['yaml.schemas'])
    const written = JSON.parse(made.read(`wifi/${schema}`))
    expect(written).toEqual(
      JSON.parse(readFileSync(join(ROOT, 'schemas/fleet.schema.json'), 'utf8'))
    )
  })

  it('replaces no file and follows no link', async () => {
    const made = await stage()
    made.write('wifi/README.md', 'ours\n')
    made.write('elsewhere', 'theirs\n')
    symlinkSync(join(made.cwd, 'elsewhere'), join(made.cwd, 'wifi/policy.yaml'))
    const { code, stdout } = await made.run('init wifi', NO_SERVICE)
    expect(code).toBe(0)
    expect(stdout).toContain('Kept, because they exist (2)\n  wifi/README.md\n  wifi/policy.yaml\n')
    expect(made.read('wifi/README.md')).toBe('ours\n')
    expect(made.read('elsewhere')).toBe('theirs\n')
    const again = await made.run('init wifi', NO_SERVICE)
    expect(again.stdout).not.toContain('Written')
  })

  it('warns below the root of a git repository', async () => {
    const made = await stage()
    emptyRepository(made.cwd)
    expect(await made.run('init wifi', NO_SERVICE)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^wlanctl: warning: CI files work only in the root .* wifi is below/
      )
    })
    expect((await made.run('init .', NO_SERVICE)).stderr).toBe('')
  })

  it.each([
    ['github', '.github/workflows/wlanctl.yml'],
    ['gitlab', '.gitlab/wlanctl.yml']
  ])('writes no address of this machine into CI files: %s', async (ci, file) => {
    const made = await stage()
    const address = 'http://127.0.0.1:42577'
    expect(await made.run(`init wifi --ci ${ci} --base-url ${address}`)).toMatchObject({
      code: 0,
      stderr: `wlanctl: warning: ${address} is this machine; the CI files have https://api.mist.com: replace it by the address of your service\n`
    })
    expect(made.read(`wifi/${file}`)).toContain('https://api.mist.com')
    const texts = filesBelow(made, 'wifi').map(each => made.read(`wifi/${each}`))
    expect(texts.join('\n')).not.toContain('127.0.0.1')
    expect(made.read('wifi/README.md')).toMatch(
      new RegExp(`\\n- \\[ \\] .*\\(${file}\\).*: .*https://api\\.mist\\.com`)
    )
    expect((await made.run(`init other --ci none --base-url ${address}`)).stderr).toBe('')
  })

  it('imports the named sites into profiles, without secrets, with tests that they pass', async () => {
    const made = await stage({ sites })
    made.write('sites.txt', list)
    const { code, stdout } = await made.run('init wifi --from sites.txt --secrets-out secrets.env')
    expect(code).toBe(0)
    expect(filesBelow(made, 'wifi/sites')).toContain('profiles.yaml')
    expect(stdout).toMatch(/\nImport: 12 WLANs on 3 sites, /)
    expect(stdout).toContain('\nNext:\n  cd wifi && wlanctl plan\n')
    const all = filesBelow(made, 'wifi').map(file => made.read(`wifi/${file}`))
    for (const secret of secretsIn(sites)) expect(all.join('\n') + stdout).not.toContain(secret)
    const plan = JSON.parse((await made.run('plan wifi --format json')).stdout)
    expect(plan.summary).toMatchObject({ sites: 3, wlans: 12, unchanged: 12 })
    const workflow = '.github/workflows/wlanctl.yml'
    const example = readFileSync(join(ROOT, 'examples/github', workflow), 'utf8')
    expect(made.read(`wifi/${workflow}`)).toBe(example)
    const tested = await made.run('test wifi')
    expect(tested).toMatchObject({ code: 0, stdout: '5 tests passed: 12 WLANs on 3 sites\n' })
    made.write('wifi/more.yaml', hqFile('{ open: { ssid: Open } }'))
    expect(await made.run('test wifi')).toMatchObject({ code: 1 })
  })

  it('accepts an id instead of the directory for a site', async () => {
    const made = await stage()
    rmSync(join(made.cwd, 'fleet'), { recursive: true })
    expect(await made.run(`init ${HQ} --ci none`)).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('IMPORT_NOT_FACTORED')
    })
    expect(filesBelow(made, 'sites')).toHaveLength(1)
  })

  it('writes the organization of the imported sites to the policy', async () => {
    const made = await stage({ sites })
    const [{ org = '' } = {}] = sites
    expect((await made.run(`init wifi --org ${org}`)).code).toBe(0)
    const { code, stdout } = await made.run('drift wifi')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('SITE_NOT') })
    expect(made.read('wifi/policy.yaml')).toContain(`\n  org: ${org}\n`)
  })
})

describe('the CI files', () => {
  const remotes = (...branches: readonly string[]) =>
    Object.fromEntries(branches.map(name => [`refs/remotes/origin/${name}`, `${'1'.repeat(40)}\n`]))
  const trunk = { 'refs/remotes/origin/HEAD': 'ref: refs/remotes/origin/trunk\n' }

  it.each<[branch: string, current: string, refs: Readonly<Record<string, string>>]>([
    ['master', 'master', {}],
    ['trunk', 'master', { ...remotes('main', 'trunk'), ...trunk }],
    ['master', 'work', remotes('master', 'next')],
    ['main', 'work', remotes('next')],
    ['main', 'a,b', {}]
  ])('name the default branch %s on %s with %j', async (branch, current, refs) => {
    const made = await stage()
    emptyRepository(join(made.cwd, 'wifi'), current)
    for (const [name, text] of Object.entries(refs)) made.write(`wifi/.git/${name}`, text)
    const { stdout } = await made.run('init wifi', NO_SERVICE)
    const workflow = made.read('wifi/.github/workflows/wlanctl.yml')
    expect(workflow.match(/branches: \[.*?\]/g)).toEqual(Array(2).fill(`branches: [${branch}]`))
    expect(made.read('wifi/README.md')).toContain(`only the branch \`${branch}\``)
    expect(stdout).toContain(`--initial-branch ${branch} `)
  })

  it.each([
    ['build: { script: [make] }\n', true],
    ['# .gitlab/wlanctl.yml\n', true],
    ['include:\n  - local: .gitlab/wlanctl.yml\n', false]
  ])('keep a pipeline, and say what it lacks: %j', async (pipeline, lacks) => {
    const made = await stage()
    made.write('wifi/.gitlab-ci.yml', pipeline)
    const { code, stderr } = await made.run('init wifi --ci gitlab', NO_SERVICE)
    expect(code).toBe(0)
    expect(made.read('wifi/.gitlab-ci.yml')).toBe(pipeline)
    expect(stderr.includes('add the line "- local: .gitlab/wlanctl.yml" below')).toBe(lacks)
  })

  it.each(['file', 'link'])('write nothing where a %s is in the place of a folder', async form => {
    const made = await stage()
    const at = join(made.cwd, 'wifi/.vscode')
    mkdirSync(join(made.cwd, 'wifi'))
    if (form === 'file') writeFileSync(at, '')
    else symlinkSync(made.cwd, at)
    const { code, stderr } = await made.run('init wifi', NO_SERVICE)
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('wifi/.vscode is not a directory')
    })
    expect(readdirSync(join(made.cwd, 'wifi'))).toEqual(['.vscode'])
  })

  it.each([
    ['the lock file of npm', `echo "$PWD $*" >npm.log; echo '{}' >package-lock.json`, true],
    ['the command for it, where npm fails', 'echo "$PWD $*" >npm.log; exit 1', false]
  ])('pin wlanctl: %s', async (_, npm, isPinned) => {
    const made = await stage()
    const bin = folder()
    writeFileSync(join(bin, 'npm'), `#!/bin/sh\nenv >>npm.env\n${npm}\n`)
    chmodSync(join(bin, 'npm'), 0o755)
    const env = { ...NO_SERVICE, PATH: `${bin}:/usr/bin:/bin` }
    const { code, stdout } = await made.run('init wifi', env)
    expect(code).toBe(0)
    expect(made.read('wifi/.github/wlanctl/npm.log')).toContain(
      'wifi/.github/wlanctl install --package-lock-only --ignore-scripts'
    )
    expect(made.read('wifi/.github/wlanctl/npm.env')).not.toContain(PSK)
    expect(stdout.includes('  wifi/.github/wlanctl/package-lock.json\n')).toBe(isPinned)
    expect(
      stdout.includes('npm install --package-lock-only --ignore-scripts --prefix .github/wlanctl')
    ).toBe(!isPinned)
  })
})
