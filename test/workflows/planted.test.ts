import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { folder, PROGRAM, ROOT, startCommand } from '../support/program.ts'
import { desk } from './fake/script.ts'
import { filesIn, read } from './fake/workflow.ts'

/**
 * A pull request may contain files, folders and links with any name. Jobs write outside of the checkout: no
 * job shows, stores or reverts files of a pull request, or writes through its links.
 */

const FORGED = 'forged by a pull request\n'

/** Every name that a script writes. */
const names = [
  'plan.json',
  'plan.md',
  'plan.html',
  'codequality.json',
  'counts.json',
  'exit-code',
  'stderr',
  'outcome.md',
  'outcomes.json',
  'outcome.html',
  'record.jsonl',
  'drift.xml',
  'drift.html',
  'drift.json',
  'wlanctl.prom',
  'report.md',
  'report.html',
  'summary.md',
  'snapshot.json'
]

/** Plants an entry at a path of a checkout; `outside` is a folder outside of it. */
type Plant = (path: string, outside: string) => void

function linkToFolder(path: string, target: string): void {
  mkdirSync(target)
  for (const name of names) writeFileSync(join(target, name), FORGED)
  symlinkSync(target, path)
}

const plants: Readonly<Record<string, Plant>> = {
  'a file': path => writeFileSync(path, FORGED),
  'a link to a file': (path, outside) => {
    const target = join(outside, `of-${path.replace(/.*\//, '')}`)
    writeFileSync(target, FORGED)
    symlinkSync(target, path)
  },
  'a link to nothing': (path, outside) =>
    symlinkSync(join(outside, `new-${path.replace(/.*\//, '')}`), path),
  'a folder': path => {
    mkdirSync(path)
    for (const name of names) writeFileSync(join(path, name), FORGED)
  },
  'a link to a folder': path => {
    const target = join(dirname(path), `.folder-of-${path.replace(/.*\//, '')}`)
    linkToFolder(path, target)
  },
  'a folder of links': (path, outside) => {
    mkdirSync(path)
    for (const name of names) symlinkSync(join(outside, `in-${name}`), join(path, name))
  }
}

/** Each path below a folder with its content, or the target of its link. */
function listing(directory: string): Record<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    paths.map(path => {
      const file = join(directory, path)
      const stats = lstatSync(file)
      if (stats.isSymbolicLink()) return [path, `-> ${readlinkSync(file)}`]
      return [path, stats.isDirectory() ? '/' : readFileSync(file, 'utf8')]
    })
  )
}

/** A copy of an example with its service, `plant` under each of the names, and a folder outside. */
async function checkout(plant: Plant, planted: readonly string[]) {
  const example = join(ROOT, 'examples/github')
  const sites = readSeed(readFileSync(join(example, 'simulator.json'), 'utf8'))
  const { simulator } = await simulate({ sites })
  const home = folder()
  const [cwd, outside, results] = ['checkout', 'outside', 'results'].map(name => join(home, name))
  if (cwd === undefined || outside === undefined || results === undefined) throw new Error('?')
  mkdirSync(outside)
  cpSync(example, cwd, { recursive: true })
  cpSync(join(ROOT, 'examples/gitlab/.gitlab'), join(cwd, '.gitlab'), { recursive: true })
  for (const name of planted) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    plant(join(cwd, name), outside)
  }
  const env = {
    WLANCTL_BASE_URL: simulator.url,
    WLANCTL_API_TOKEN: simulator.token,
    WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby'
  }
  return { simulator, home, cwd, outside, results, env }
}

describe('examples/gitlab', () => {
  type GitLabJob = {
    readonly extends?: string
    readonly before_script?: readonly string[]
    readonly script: readonly string[]
    readonly after_script?: readonly string[]
    readonly artifacts?: {
      readonly paths: readonly string[]
      readonly reports?: Readonly<Record<string, string>>
    }
  }
  const { variables, ...file }: Record<string, GitLabJob> = parse(
    read('examples/gitlab/.gitlab-ci.yml')
  )

  /** The only folder that the jobs upload. */
  const uploaded = 'wlanctl-results'

  /** Runs a job like a runner, with the built program in place of an installed one. */
  async function run(name: string, made: Awaited<ReturnType<typeof checkout>>) {
    const job = { ...file['.wlanctl'], ...file[name] } as GitLabJob
    const env = {
      ...made.env,
      WLANCTL: PROGRAM,
      CI_PROJECT_DIR: made.cwd,
      RESULTS: made.results,
      APPROVAL: join(made.home, 'approval'),
      STORED: join(made.home, 'stored')
    }
    const isElsewhere = (line: string) =>
      /^(?:npm|mkdir -p \/opt|cd \/opt|node .*\/(?:approval|provenance|stored)\.mjs|base=)/.test(
        line
      )
    const lines = [...(job.before_script ?? []), ...job.script].filter(line => !isElsewhere(line))
    const shell = (script: readonly string[]) =>
      startCommand('bash', ['-euc', script.join('\n')], { cwd: made.cwd, env }).ended
    const ended = await shell(lines)
    expect(await shell(job.after_script ?? [])).toMatchObject({ code: 0 })
    return ended
  }

  it('uploads one directory only, and writes nothing to the checkout', () => {
    const jobs = Object.values(file).filter(job => job.artifacts !== undefined)
    expect(jobs).toHaveLength(4)
    for (const { artifacts } of jobs) {
      expect(artifacts?.paths).toEqual([`${uploaded}/`])
      for (const report of Object.values(artifacts?.reports ?? {})) {
        expect(report).toMatch(new RegExp(`^${uploaded}/[a-z.]+$`))
      }
    }
    expect(variables).toMatchObject({ RESULTS: expect.stringMatching(/^\/tmp\//) })
  })

  const planted = [...names, uploaded, 'results', '-rf', 'x/wlanctl-results']
  // A fleet with such a link is rejected.
  const linkOutside: Plant = (path, outside) => linkToFolder(path, join(outside, 'folder'))

  it.each(Object.entries(plants))(
    'uploads nothing of %s that a merge request planted',
    async (_, plant) => {
      const made = await checkout(plant, planted)
      const [before, beyond] = [listing(made.cwd), listing(made.outside)]
      expect((await run('plan', made)).code).toBe(0)
      expect(readdirSync(join(made.cwd, uploaded)).sort()).toEqual([
        'codequality.json',
        'counts.json',
        'plan.html',
        'plan.json',
        'plan.md',
        'stderr'
      ])
      expect((await run('apply', made)).code).toBe(0)
      expect(readdirSync(join(made.cwd, uploaded)).sort()).toEqual([
        'outcome.html',
        'outcome.md',
        'record.jsonl',
        'stderr'
      ])
      expect((await run('drift', made)).code).toBe(0)
      expect(readdirSync(join(made.cwd, uploaded)).sort()).toEqual([
        'drift.html',
        'drift.json',
        'drift.md',
        'drift.xml',
        'exit-code',
        'snapshot.json',
        'stderr',
        'wlanctl.prom'
      ])
      for (const [path, content] of Object.entries(listing(join(made.cwd, uploaded)))) {
        expect(lstatSync(join(made.cwd, uploaded, path)).isFile()).toBe(true)
        expect(content).not.toContain(FORGED)
      }
      const isUploaded = (path: string) => path.split('/')[0] === uploaded
      const rest = (paths: Record<string, string>) =>
        Object.fromEntries(Object.entries(paths).filter(([path]) => !isUploaded(path)))
      expect(rest(listing(made.cwd))).toEqual(rest(before))
      expect(listing(made.outside)).toEqual(beyond)
    }
  )

  it.each(Object.entries({ ...plants, 'a link to a folder outside': linkOutside }))(
    'uploads nothing from %s if a job fails before it wrote a file',
    async (_, plant) => {
      const made = await checkout(plant, [uploaded])
      const beyond = listing(made.outside)
      writeFileSync(join(made.cwd, 'broken.yaml'), 'wlans: [')
      expect((await run('apply', made)).code).toBe(3)
      expect(lstatSync(join(made.cwd, uploaded)).isDirectory()).toBe(true)
      expect(readdirSync(join(made.cwd, uploaded))).toEqual(['stderr'])
      expect(listing(made.outside)).toEqual(beyond)
    }
  )

  it('the upload of an apply reverts that apply alone', async () => {
    const made = await checkout(
      path => {
        mkdirSync(path)
        writeFileSync(join(path, 'record.jsonl'), FORGED)
      },
      [uploaded]
    )
    expect((await run('apply', made)).code).toBe(0)
    const record = readFileSync(join(made.cwd, uploaded, 'record.jsonl'), 'utf8')
    expect(record).toContain('"wlanctl-record/1"')
    expect(record).not.toContain(FORGED)
  })

  it('starts with an empty directory, without files of another job', async () => {
    const made = await checkout(() => undefined, [])
    mkdirSync(made.results)
    writeFileSync(join(made.results, 'record.jsonl'), FORGED)
    expect((await run('plan', made)).code).toBe(0)
    expect(existsSync(join(made.cwd, uploaded, 'record.jsonl'))).toBe(false)
  })
})

describe('.github/scripts', () => {
  const planted = [...names, 'results', 'stored', 'temp', 'wlanctl']
  const scripts = {
    'plan.sh': ['plan.json', 'report.html', 'report.md', 'summary.md'],
    'apply.sh': ['outcomes.json', 'record.jsonl', 'report.html', 'report.md', 'summary.md'],
    'drift.sh': ['new.md', 'report.html', 'report.md', 'stored', 'summary.md', 'wlanctl.prom'],
    'take-snapshot.sh': ['stored']
  }

  /** A different plant under each name. */
  const inTurn: Plant = (path, outside) => {
    const all = Object.values(plants)
    all[planted.findIndex(name => path.endsWith(`/${name}`)) % all.length]?.(path, outside)
  }

  it.each(Object.entries(scripts))('%s writes nothing to the checkout', async (script, written) => {
    const made = await checkout(inTurn, planted)
    const { start, temp } = desk()
    mkdirSync(join(temp, 'wlanctl/node_modules'), { recursive: true })
    symlinkSync(ROOT, join(temp, 'wlanctl/node_modules/wlanctl'))
    const before = [listing(made.cwd), listing(made.outside)]
    const env = { ...made.env, FLEET: '.', SECRETS: '{}' }
    expect(await start(`scripts/${script}`, env, made.cwd).ended).toMatchObject({ code: 0 })
    expect([listing(made.cwd), listing(made.outside)]).toEqual(before)
    expect(readdirSync(join(temp, 'results')).sort()).toEqual(written)
    for (const content of Object.values(listing(join(temp, 'results')))) {
      expect(content).not.toContain(FORGED)
    }
  })
})

const kubernetes = ['drift', 'apply'].map(name => `examples/kubernetes/${name}.yaml`)

/** All shell code of the CI examples. */
const shown = [
  ...filesIn('.github/scripts', /\.sh$/),
  ...filesIn('.github/workflows', /\.yml$/),
  ...filesIn('examples', /(?:^|\/)[^/]*\.(?:sh|yml)$/),
  ...kubernetes
]

/** The folders outside of a checkout, as named in the scripts. */
const OUTSIDE = /^"?\$(?:results|RUNNER_TEMP|RESULTS|day)\//

it('every output file of an example is outside of the checkout', () => {
  const written = shown.flatMap(file => {
    const options = read(file).matchAll(/--(?:out|record|report) +("[^"]+"|\S+)/g)
    return [...options].map(([, word = '']) => `${file} ${word.replace(/^"?[a-z]+=/, '')}`)
  })
  expect(written.length).toBeGreaterThan(15)
  expect(written.filter(each => !OUTSIDE.test(each.replace(/^\S+ /, '')))).toEqual([])
})

it('the Kubernetes jobs cannot write to the checkout', () => {
  const jobs = kubernetes
    .flatMap(file => parseAllDocuments(read(file)))
    .map(document => document.toJS())
    .filter(({ kind }) => kind === 'CronJob')
  for (const { spec } of jobs) {
    for (const container of spec.jobTemplate.spec.template.spec.containers) {
      expect(container.securityContext.readOnlyRootFilesystem).toBe(true)
      for (const { mountPath, readOnly } of container.volumeMounts) {
        expect([mountPath, readOnly === true]).toEqual([
          mountPath,
          !['/parts', '/records', '/tmp'].includes(mountPath)
        ])
      }
    }
  }
})
