import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { starter } from '#starter'
import { starterFiles } from '../../src/author/init/files.ts'
import { REQUIRED_CHECKS } from '../../src/cli/doctor/github.ts'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { commit, git } from '../support/git.ts'
import { HQ } from '../support/ids.ts'
import { ROOT } from '../support/program.ts'
import { secretsIn } from '../support/secrets.ts'
import { type Stage, stage } from '../support/stage.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'
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
        '.github/workflows/apply.yml',
        '.github/workflows/drift.yml',
        '.github/workflows/plan.yml',
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

  it.each(['github', 'gitlab', 'none'])(
    'writes a valid policy and an editor schema: %s',
    async ci => {
      const made = await stage()
      await made.run(`init wifi --ci ${ci}`, NO_SERVICE)
      made.write('wifi/sites/hq.yaml', `site: { id: ${HQ} }\n`)
      const { code, stdout } = await made.run('validate wifi', NO_SERVICE)
      expect({ code, stdout }).toMatchObject({ code: 0 })
      const settings = JSON.parse(made.read('wifi/.vscode/settings.json'))
      const [schema = ''] = Object.keys(settings['yaml.schemas'])
      const written = JSON.parse(made.read(`wifi/${schema}`))
      expect(written).toEqual(
        JSON.parse(readFileSync(join(ROOT, 'schemas/fleet.schema.json'), 'utf8'))
      )
    }
  )

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
    git(made.cwd, 'init', '--quiet')
    const { code, stderr } = await made.run('init wifi', NO_SERVICE)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^wlanctl: warning: CI files work only in the root .* wifi is below/
      )
    })
    expect((await made.run('init .', NO_SERVICE)).stderr).toBe('')
  })

  it.each([
    ['github', '.github/workflows/plan.yml'],
    ['gitlab', '.gitlab-ci.yml']
  ])('writes no address of this machine into CI files: %s', async (ci, file) => {
    const made = await stage()
    const address = 'http://127.0.0.1:42577'
    const { code, stderr } = await made.run(`init wifi --ci ${ci} --base-url ${address}`)
    expect({ code, stderr }).toEqual({
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

  it.each([
    ['--workflows acme/wlanctl@v1', 'expected OWNER/REPOSITORY@COMMIT'],
    ['--owner acme', 'expected @USER or @ORGANIZATION/TEAM'],
    ['--org acme', 'expected a UUID for --org'],
    ['--base-url http://example.com', 'https']
  ])('rejects %s', async (option, problem) => {
    const made = await stage()
    const { code, stderr } = await made.run(`init wifi ${option}`)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) })
    expect(existsSync(join(made.cwd, 'wifi'))).toBe(false)
  })

  it('imports the named sites into profiles, without secrets', async () => {
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
  })

  it.each([
    ['an address', HQ, { WLANCTL_BASE_URL: undefined }, 'the address of the service is missing'],
    ['a token', HQ, { WLANCTL_API_TOKEN: undefined }, 'the API token is missing'],
    ['an id', 'nonsense', {}, 'nonsense'],
    ['a list of sites', '--from absent.txt', {}, 'absent.txt'],
    ['a valid prefix', `${HQ} --secret-prefix x-`, {}, 'prefix']
  ])('writes nothing without %s for an import', async (_, sites, env, problem) => {
    const made = await stage()
    const { code, stderr } = await made.run(`init wifi ${sites}`, env)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) })
    expect(existsSync(join(made.cwd, 'wifi'))).toBe(false)
    expect(made.methods()).toEqual([])
  })

  it('accepts an id instead of the directory for a site', async () => {
    const made = await stage()
    rmSync(join(made.cwd, 'fleet'), { recursive: true })
    const { code, stdout } = await made.run(`init ${HQ} --ci none`)
    expect({ code, stdout }).toEqual({
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
  const choices = { version: '9.8.7', schema: {} }

  it.each([
    ['github', 'examples/github/.github', '.github/'],
    ['gitlab', 'examples/gitlab', '']
  ] as const)('of %s equal those of %s', (ci, folder, prefix) => {
    const files = starterFiles({ ...choices, ci })
    const texts = new Map(files.map(({ path, text }) => [path, text]))
    const examples = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter(
        file =>
          !/\/(?:parts|scheduled)\.yml$/.test(file) && file !== join(ROOT, folder, 'README.md')
      )
    expect(examples.length).toBeGreaterThan(0)
    for (const file of examples) {
      const path = prefix + file.slice(join(ROOT, folder).length + 1)
      expect(texts.get(path), path).toBe(readFileSync(file, 'utf8'))
    }
  })

  it('differ from the examples only in the chosen values', () => {
    const before = starterFiles({ ...choices, ci: 'github' })
    const after = starterFiles({
      ...choices,
      ci: 'github',
      baseUrl: 'https://api.example.net',
      workflows: `acme/tools@${COMMIT}`,
      owner: '@acme/net'
    })
    const changed = after.flatMap(({ path, text }, at) => {
      const old = before[at]?.text.split('\n') ?? []
      const lines = text.split('\n')
      if (path === 'README.md') return []
      expect(lines).toHaveLength(old.length)
      return lines.filter((line, nth) => line !== old[nth]).map(line => line.trim())
    })
    expect(new Set(changed.map(line => line.replace(/[\w-]+\.yml/, 'X.yml')))).toEqual(
      new Set([
        `uses: acme/tools/.github/workflows/X.yml@${COMMIT} # v9.8.7`,
        'base-url: https://api.example.net',
        '*               @acme/net',
        '/.github/       @acme/net',
        '/policy.yaml    @acme/net',
        '.wlanctlignore  @acme/net'
      ])
    )
    const texts = after.map(({ text }) => text).join('\n')
    expect(texts).not.toMatch(/@0{40}|@example\/|example\/wlanctl/)
    expect(texts).not.toContain('Still to edit')
  })
})

describe('the README of a new repository', () => {
  const workflow = (name: string) =>
    readFileSync(join(ROOT, `.github/workflows/${name}.yml`), 'utf8')

  it.each(['github', 'gitlab'] as const)('names only names that the CI files use: %s', ci => {
    const files = starterFiles({ version: '9.8.7', schema: {}, ci })
    const readme = files.find(({ path }) => path === 'README.md')?.text ?? ''
    const called = ci === 'github' ? ['plan', 'apply', 'drift'].map(workflow) : []
    const used = [
      ...files.filter(({ path }) => path !== 'README.md').map(({ text }) => text),
      ...called
    ]
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const own = links.filter(link => !link.startsWith('../../settings/'))
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(own))
    const names = readme.match(/`(?:WLANCTL_\w+|WEBHOOK_URL|production)`/g) ?? []
    expect(new Set(names).size).toBeGreaterThan(2)
    for (const [name] of ci === 'gitlab'
      ? used.join('\n').matchAll(/WLANCTL_(?:READ|WRITE|GITLAB)_TOKEN/g)
      : []) {
      expect(readme).toContain(`\`${name}\``)
    }
    for (const name of names) expect(used.join('\n'), name).toContain(name.slice(1, -1))
  })

  it('requires checks that the workflows define', () => {
    const { github } = starter
    const caller = parse(github['workflows/plan.yml'] ?? '')
    const called = parse(workflow('plan'))
    const jobs = Object.values<{ name: string }>(called.jobs).map(({ name }) => name)
    const checks = Object.keys(caller.jobs).flatMap(job => jobs.map(name => `${job} / ${name}`))
    expect(checks).toEqual(expect.arrayContaining(REQUIRED_CHECKS))
    const readme = starterFiles({ version: '9.8.7', schema: {}, ci: 'github' }).find(
      ({ path }) => path === 'README.md'
    )
    for (const check of REQUIRED_CHECKS) expect(readme?.text).toContain(`\`${check}\``)
  })
})

describe('from an empty directory to the first plan comment', () => {
  it('takes three commands and one edit', async () => {
    const made = await stage({ sites })
    made.write('sites.txt', list)
    const options = `--workflows acme/wlanctl@${COMMIT} --owner @acme/network`
    expect((await made.run(`init wifi --from sites.txt ${options}`)).code).toBe(0)
    const cwd = join(made.cwd, 'wifi')
    git(cwd, 'init', '--quiet', '--initial-branch', 'main')
    commit(cwd)
    const profiles = made.read('wifi/sites/profiles.yaml')
    made.write('wifi/sites/profiles.yaml', profiles.replace('/welcome', '/hello'))
    const { code, stdout } = await made.run('plan wifi --base HEAD --format markdown')
    expect(code).toBe(0)
    expect(stdout).toMatch(/3 WLANs/)
    expect(stdout).toContain('forward_url')
    expect(git(cwd, 'ls-files')).not.toMatch(/\.env|plan\.json/)
  })
})
