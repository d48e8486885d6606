import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import {
  POLICY_FILE,
  policyFile,
  type StarterChoices,
  starterFiles
} from '../../../src/author/init/files.ts'
import { ROOT } from '../../support/program.ts'

describe('the policy', () => {
  it.each([
    [0, 20],
    [60, 20],
    [61, 21],
    [223, 75]
  ])('limits the changes of %i networks to a third, and at least 20', (networks, most) => {
    const { text } = policyFile({ networks })
    expect(text).toContain(`  max_changes: ${most}\n`)
    expect(text).toContain('  max_change_percent: 34\n')
  })
})

describe('the CI files', () => {
  const choices = { version: packageJson.version, schema: {} }
  const textsOf = (more: Partial<StarterChoices>) =>
    new Map(starterFiles({ ci: 'github', ...choices, ...more }).map(each => [each.path, each.text]))

  it.each([
    ['github', 'examples/github/.github', '.github/'],
    ['gitlab', 'examples/gitlab', '']
  ] as const)('of %s equal those of %s', (ci, folder, prefix) => {
    const written = textsOf({ ci })
    const examples = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    expect(examples.length).toBeGreaterThan(2)
    for (const file of examples) {
      const path = prefix + file.slice(join(ROOT, folder).length + 1)
      expect(written.get(path), path).toBe(readFileSync(file, 'utf8'))
    }
  })

  // The build takes every file of the examples.
  it.each([
    ['github', 'CODEOWNERS dependabot.yml wlanctl/package.json workflows/wlanctl.yml'],
    ['gitlab', 'CODEOWNERS renovate.json wlanctl.yml wlanctl/package.json']
  ] as const)('of %s are these and no other', (ci, files) => {
    const others = new Set(textsOf({ ci: 'none' }).keys())
    const own = [...textsOf({ ci }).keys()].filter(path => !others.has(path))
    expect(own.filter(path => path !== '.gitlab-ci.yml').join(' ')).toBe(
      files.replaceAll(/\S+/g, `.${ci}/$&`)
    )
  })

  it('differ from the examples only in the chosen values', () => {
    const before = textsOf({})
    const changed = new Set<string>()
    const chosen = {
      ...{ baseUrl: 'https://api.example.net', owner: '@acme/net', version: '9.8.7' },
      branch: 'trunk'
    }
    for (const [path, text] of textsOf(chosen)) {
      const old = before.get(path)?.split('\n') ?? []
      const lines = text.split('\n')
      if (path === 'README.md') continue
      expect(lines).toHaveLength(old.length)
      for (const line of lines.filter((each, nth) => each !== old[nth])) changed.add(line.trim())
    }
    expect(changed).toEqual(
      new Set([
        'pull_request: { branches: [trunk], types: [opened, synchronize, reopened, edited] }',
        'push: { branches: [trunk] }',
        'WLANCTL_BASE_URL: https://api.example.net',
        '# Who must approve what; the rules of the branch `trunk` have to ask for it.',
        '"wlanctl": "9.8.7"',
        '*               @acme/net',
        '/.github/       @acme/net',
        '/policy.yaml    @acme/net',
        '/tests.yaml     @acme/net',
        '.wlanctlignore  @acme/net'
      ])
    )
    const texts = [...textsOf(chosen).values()].join('\n')
    expect(texts).not.toMatch(/@example\//)
    expect(texts).not.toContain('Still to edit')
    expect(texts).not.toMatch(/\bmain\b/)
  })
})

describe('the README of a new repository', () => {
  it.each(['github', 'gitlab'] as const)('names only names that the CI files use: %s', ci => {
    const files = starterFiles({ version: '9.8.7', schema: {}, ci })
    const readme = files.find(({ path }) => path === 'README.md')?.text ?? ''
    const used = files
      .filter(({ path }) => path !== 'README.md')
      .map(({ text }) => text)
      .join('\n')
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const own = links.filter(link => !link.startsWith('../../settings/'))
    expect([POLICY_FILE, ...files.map(({ path }) => path)]).toEqual(expect.arrayContaining(own))
    const names = readme.match(/`(?:WLANCTL_\w+|wlan(?:-manual)?|TASK|plan|check)`/g) ?? []
    expect(new Set(names).size).toBeGreaterThan(6)
    for (const name of names) {
      // The program reads it, and no file mentions it.
      const isRead = ci === 'gitlab' && /SUSPEND|FORGE_TOKEN/.test(name)
      if (!isRead) expect(used, name).toContain(name.slice(1, -1))
    }
  })

  it.each([
    [
      'github',
      [
        '"custom_branch_policies":true',
        '"prevent_self_review":true',
        '"require_code_owner_review": true',
        '"required_status_checks": [{ "context": "plan" }, { "context": "check" }]',
        'refs/tags/main'
      ]
    ],
    [
      'gitlab',
      [
        'WLANCTL_WRITE_TOKEN --masked --protected --scope wlan',
        'ci_forward_deployment_enabled=false',
        'ci_pipeline_variables_minimum_override_role=maintainer',
        'protected_tags -f name=main'
      ]
    ]
  ] as const)('has the commands that protect the write token: %s', (ci, parts) => {
    const files = starterFiles({ version: '9.8.7', schema: {}, ci })
    const readme = files.find(({ path }) => path === 'README.md')?.text ?? ''
    const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(readme) ?? []
    for (const part of parts) expect(commands).toContain(part)
  })
})
