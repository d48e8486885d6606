import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isIgnored, parseIgnoreFile } from '../../../src/fleet/files/ignore.ts'
import { git, gitEnv } from '../../support/git.ts'
import { folder } from '../../support/program.ts'
import { runs } from '../../support/properties.ts'
import { stage } from '../../support/stage.ts'
import { HQ_ALONE, load } from '../fleet.ts'

const paths = [
  'mkdocs.yml',
  'docs/mkdocs.yml',
  'docs/deep/site.yaml',
  'ansible/hosts.yaml',
  'ansible/roles/main.yml',
  'a/ansible/x.yaml',
  'a/b/c.yaml',
  'a/x/y/b/c.yaml',
  'sites/hq.yaml',
  'sites/lab.yaml',
  '#x.yaml'
]

/** The paths that git ignores with these lines in a `.gitignore`. */
function ignoredByGit(text: string): string[] {
  const cwd = folder()
  git(cwd, 'init', '--quiet')
  const words = ['-c', 'core.excludesFile=/dev/null', 'check-ignore', '--no-index', '--stdin', '-z']
  const script = `cat >.git/info/exclude <<'END'\n${text}\nEND\n`
  spawnSync('sh', ['-c', script], { cwd })
  const { PATH } = process.env
  const { stdout } = spawnSync('git', words, {
    cwd,
    env: { PATH, ...gitEnv },
    input: paths.join('\0'),
    encoding: 'utf8'
  })
  return stdout.split('\0').filter(path => path !== '')
}

const ignored = (text: string) => {
  const rules = parseIgnoreFile(text)
  return paths.filter(path => isIgnored(path, rules))
}

describe('an ignore file', () => {
  it.each([
    'mkdocs.yml',
    '/mkdocs.yml',
    'ansible/',
    'ansible',
    '/ansible/',
    'docs/*.yml',
    'docs/**',
    '**/c.yaml',
    'a/**/b',
    'a/**/c.yaml',
    '*.yaml\n!hq.yaml',
    'sites\n!sites/hq.yaml',
    'sites/*\n!sites/hq.yaml',
    '# docs\n\n  \nlab.yaml  ',
    '\\#x.yaml',
    '#x.yaml',
    's?tes',
    '/',
    'hq.yaml/',
    '!mkdocs.yml\nmkdocs.yml'
  ])('ignores the same paths as git: %j', text => {
    expect(ignored(text)).toEqual(ignoredByGit(text))
  })

  it('never throws, and always ends', () => {
    const name = fc.constantFrom('a', 'b', '*', '**', '?', '/', '!', '#', '\\', ' ', '\n')
    fc.assert(
      fc.property(fc.array(name, { maxLength: 60 }), parts => {
        ignored(parts.join(''))
      }),
      runs()
    )
    const long = `${'a'.repeat(200)}/`.repeat(20)
    expect(parseIgnoreFile(`${'**/*a*b'.repeat(40)}`)(long, false)).toBe(false)
  })
})

describe('a fleet next to other YAML', () => {
  const MKDOCS = 'site_name: Docs\ntheme: material\nnav: [index.md]\n'
  const PLAYBOOK = '- hosts: all\n  tasks: []\n'

  it.each([
    ['mkdocs.yml', MKDOCS, 'got one with 3 other keys: \\"site_name\\", \\"theme\\", \\"nav\\"'],
    ['ansible/play.yaml', PLAYBOOK, 'got a list']
  ])(
    'reports once that %s is not of the fleet, and how to ignore it',
    async (file, text, problem) => {
      const made = await stage()
      made.write(`fleet/${file}`, text)
      const wrong = await made.run('validate fleet --format json')
      expect(wrong.code).toBe(3)
      expect(wrong.stdout).toContain(problem)
      const { findings } = JSON.parse(wrong.stdout)
      expect(findings).toMatchObject([
        { code: 'FILE_NOT_OF_FLEET', place: { file: `fleet/${file}` } }
      ])
      made.write('fleet/.wlanctlignore', `${file}\n`)
      expect((await made.run('validate fleet')).code).toBe(0)
    }
  )

  it('reports an unreadable ignore file', async () => {
    const made = await stage()
    made.write('fleet/.wlanctlignore/x', '')
    const { code, stdout } = await made.run('validate fleet')
    expect({ code, stdout }).toEqual({
      code: 3,
      stdout: expect.stringContaining('FILE_UNREADABLE')
    })
  })

  it('reports a site in an ignored file as no longer declared', async () => {
    const made = await stage()
    made.write('fleet/old.yaml', 'profiles: {}\nnonsense: 1\n')
    made.write('fleet/.wlanctlignore', 'old.yaml\n')
    git(made.cwd, 'init', '--quiet', '--initial-branch=main')
    git(made.cwd, 'add', '--all')
    git(made.cwd, 'commit', '--quiet', '--message=A step')
    made.write('fleet/lab.yaml', 'site: { id: 00000000-0000-4000-8000-000000000009 }\n')
    made.write('fleet/.wlanctlignore', 'old.yaml\nhq.yaml\n')
    const { stdout } = await made.run('plan fleet --base HEAD --format json')
    expect(JSON.parse(stdout).findings).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: 'NO_LONGER_DECLARED' })])
    )
  })
})

describe('an ignored file', () => {
  const findingsOf = async (file: string, text: string) =>
    (await load({ 'hq.yaml': HQ_ALONE, '.wlanctlignore': 'old/\n', [file]: text })).findings

  it.each<[what: string, file: string, text: string]>([
    ['in an ignored folder', 'old/policy.yaml', 'policy: {}\n'],
    ['indented', 'old/x.yml', '  policy: {}\n'],
    ['in a flow map', 'old/x.yaml', '{ policy: {} }\n'],
    ['with an escape', 'old/x.yaml', '"pol\\u0069cy": {}\n'],
    ['over two lines', 'old/x.yaml', '? "pol\\\n  icy"\n: {}\n']
  ])('with a policy %s is an error', async (_, file, text) => {
    expect(await findingsOf(file, text)).toMatchObject([
      { code: 'POLICY_IGNORED', level: 'error', place: { file: expect.stringContaining(file) } }
    ])
  })

  it.each([
    ['a policy further below', 'spec: { policy: {} }\n'],
    ['text about a policy', 'description: our policy\n'],
    ['other YAML', '{{ if .Values.policy }}\npolicy: { a: \n']
  ])('with %s is none', async (_, text) => {
    expect(await findingsOf('old/x.yaml', text)).toEqual([])
  })
})
