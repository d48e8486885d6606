import { starter } from '#starter'

/** The CI system that plans and applies the changes of a fleet. */
export const ciNames = ['github', 'gitlab', 'none'] as const

export type CiName = (typeof ciNames)[number]

/** The choices that determine the files of a new repository. */
export interface StarterChoices {
  readonly ci: CiName
  /** The address of the service; default: the address in the examples. */
  readonly baseUrl?: string
  /** Repository and commit of the reusable workflows, e.g. `acme/wlanctl@<40 hex digits>`; default: a placeholder. */
  readonly workflows?: string
  /** The owner who approves changes, e.g. `@acme/network`; default: a placeholder. */
  readonly owner?: string
  /** The organization whose sites `drift` compares; default: none. */
  readonly org?: string
  /** The version of wlanctl, e.g. `0.1.0`. */
  readonly version: string
  /** The JSON Schema of fleet files. */
  readonly schema: unknown
}

/** A file of a new repository; its path is relative to the root and uses `/`. */
export interface StarterFile {
  readonly path: string
  readonly text: string
}

/** True for `OWNER/REPOSITORY@COMMIT` with a full commit hash; a tag can be moved. */
export function isPinned(workflows: string): boolean {
  return /^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(workflows)
}

/** True for an owner in the notation of CODEOWNERS: `@user` or `@organization/team`. */
export function isOwner(owner: string): boolean {
  return /^@[\w.-]+(?:\/[\w./-]+)?$/.test(owner)
}

/**
 * The files of a new repository except its sites, sorted by path. The root of the repository is the fleet.
 */
export function starterFiles(choices: StarterChoices): readonly StarterFile[] {
  const files = [
    { path: '.gitignore', text: GITIGNORE },
    { path: '.vscode/extensions.json', text: json({ recommendations: ['redhat.vscode-yaml'] }) },
    { path: '.vscode/settings.json', text: json(EDITOR_SETTINGS) },
    // On one line, which keeps the diff of an upgrade small.
    { path: SCHEMA_FILE, text: `${JSON.stringify(choices.schema)}\n` },
    { path: POLICY_FILE, text: policy(choices) },
    ...ciFiles(choices)
  ]
  const facts: ReadmeFacts = { ci: choices.ci, edits: edits(files, choices), ...usesOf(files) }
  const all = [...files, { path: 'README.md', text: readme(facts) }]
  return all.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The file with the policy, which ends with its last key. */
export const POLICY_FILE = 'policy.yaml'

const SCHEMA_FILE = '.vscode/wlanctl.schema.json'

const EDITOR_SETTINGS = {
  'yaml.schemas': { [SCHEMA_FILE]: ['/policy.yaml', '/profiles.yaml', '/sites/**/*.yaml'] },
  'yaml.format.enable': false
}

const GITIGNORE = `# Secrets and results of runs: they do not belong in Git.
.env
*.env
*.token
/secrets/
plan*.json
snapshot*.json
record*.jsonl
*.html
`

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function policy({ org }: StarterChoices): string {
  return `# Limits for every run. \`wlanctl schema fleet\` has all keys, and editors complete them.
policy:
  # apply refuses a plan with more changes; \`--max-changes\` overrides it for one run.
  max_changes: 20
  # The same as a percentage of the declared WLANs, from 10 on.
  max_change_percent: 30
  # A live WLAN that no file declares: report, ignore or error.
  unmanaged: report
  # A field that no file declares, and that is not at its default: drift, report, ignore or error.
  unwatched: drift
  # drift reports the sites of this organization that no file declares.
  ${org === undefined ? '# org: 00000000-0000-4000-8000-000000000000' : `org: ${org}`}
  # The built-in rules check the WLANs, unless the level is off; \`wlanctl explain RULE\` explains one.
  # lint: { level: warning }
  # apply changes the sites in waves, and stops after one that is not good.
  # rollout:
  #   - canary: hq
  #   - half: 50%
`
}

function ciFiles(choices: StarterChoices): StarterFile[] {
  const { github, gitlab } = starter
  const filled = ([path, text]: readonly [string, string]) => ({ path, text: fill(text, choices) })
  switch (choices.ci) {
    case 'none':
      return []
    case 'github':
      return Object.entries(github).map(([path, text]) => filled([`.github/${path}`, text]))
    case 'gitlab': {
      const owners = (github['CODEOWNERS'] ?? '').replace('/.github/', '/.gitlab*')
      return [...Object.entries(gitlab), ['.gitlab/CODEOWNERS', owners] as const].map(filled)
    }
  }
}

/**
 * A placeholder of the examples: the repository of wlanctl, optionally with a workflow and its commit;
 * owners; address.
 */
const REPOSITORY = /\bexample\/wlanctl\b/g
const WORKFLOWS = /\bexample\/wlanctl(\/[^@\s]*)?@0{40} # v\S+/g
const OWNERS = /@example\/(?:network|platform)\b/g
const ADDRESS = /https:\/\/api\.mist\.com\b/g

/** The address in CI files for which no address is given. */
export const DEFAULT_ADDRESS = 'https://api.mist.com'

/** Replaces the placeholders of an example for which the choices have a value. */
export function fill(
  text: string,
  { baseUrl, workflows, owner, version }: Omit<StarterChoices, 'ci' | 'schema' | 'org'>
): string {
  const [repository = '', commit = ''] = workflows?.split('@') ?? []
  const pinned =
    workflows === undefined
      ? text
      : text
          .replace(WORKFLOWS, (_, path = '') => `${repository}${path}@${commit} # v${version}`)
          .replace(REPOSITORY, () => repository)
  const owned = owner === undefined ? pinned : pinned.replace(OWNERS, () => owner)
  return baseUrl === undefined ? owned : owned.replace(ADDRESS, () => baseUrl)
}

/** The placeholders that remain, each with the files that contain it; their values are unknown. */
function edits(files: readonly StarterFile[], { baseUrl }: StarterChoices): ReadmeFacts['edits'] {
  const holding = (pattern: RegExp) =>
    files.filter(({ text }) => text.search(pattern) >= 0).map(({ path }) => path)
  return {
    repository: holding(REPOSITORY),
    owners: holding(OWNERS),
    address: baseUrl === undefined ? holding(ADDRESS) : []
  }
}

function usesOf(files: readonly StarterFile[]): Pick<ReadmeFacts, 'variables' | 'adopts'> {
  const texts = files.map(({ text }) => text).join('\n')
  return {
    variables: [...new Set(texts.match(/\bWLANCTL_[A-Z]+_TOKEN\b/g))].sort(),
    adopts: files.some(({ path }) => path.endsWith('/adopt.yml'))
  }
}

/** The data for the README of a new repository: the remaining steps. */
export interface ReadmeFacts {
  readonly ci: 'github' | 'gitlab' | 'none'
  readonly edits: Readonly<Record<'repository' | 'owners' | 'address', readonly string[]>>
  /** The tokens that the CI files refer to. */
  readonly variables: readonly string[]
  readonly adopts: boolean
}

/** The README of a new repository: its layout, the placeholders to replace, and the settings to make. */
export function readme(facts: ReadmeFacts): string {
  const settings = { github, gitlab, none: () => '' }[facts.ci](facts)
  const parts = [INTRODUCTION, editsLeft(facts), settings, COMMANDS]
  return parts.filter(part => part !== '').join('\n')
}

const INTRODUCTION = `# Wi-Fi networks

The files in \`sites/\` declare the Wi-Fi networks of each site, and \`policy.yaml\` the limits of every run. A pull request shows what
would change; after the merge, the changes are applied and verified.
`

const COMMANDS = `## Commands

| command                  | purpose                                           |
| ------------------------ | ------------------------------------------------- |
| \`wlanctl import SITE_ID\` | turns the live networks of another site into YAML |
| \`wlanctl validate\`       | checks the files; needs no network and no token   |
| \`wlanctl plan\`           | shows what would change                           |
| \`wlanctl drift\`          | shows where live differs from the files           |
| \`wlanctl doctor\`         | checks everything a run needs, and suggests fixes |

\`.vscode/\` has the schema of the files for editors; after an update of wlanctl: \`wlanctl schema fleet >.vscode/wlanctl.schema.json\`.
`

function editsLeft({ ci, edits: { repository, owners, address } }: ReadmeFacts): string {
  const commit = ci === 'github' ? ' and the zeros after the `@`' : ''
  const release = ci === 'github' ? 'the repository and the full commit' : 'the repository'
  const list = [
    ...(repository.length === 0
      ? []
      : [
          `- [ ] ${named(repository)}: replace \`example/wlanctl\`${commit} by ${release} of the release that you reviewed.`
        ]),
    ...(owners.length === 0
      ? []
      : [
          `- [ ] ${named(owners)}: replace \`@example/network\` and \`@example/platform\` by your teams.`
        ]),
    ...(address.length === 0
      ? []
      : [
          `- [ ] ${named(address)}: replace \`${DEFAULT_ADDRESS}\` by the address of your service, if it differs.`
        ])
  ]
  return list.length === 0 ? '' : `## Still to edit\n\n${list.join('\n')}\n`
}

function named(files: readonly string[]): string {
  return files.map(file => `[\`${file}\`](${file})`).join(', ')
}

/** The steps on GitHub. Links to settings are relative, as GitHub resolves them in a README. */
function github({ adopts }: ReadmeFacts): string {
  return `## Still to switch on

\`wlanctl doctor --ci\` checks this list, and \`wlanctl doctor --ci --apply\` makes the settings after it has shown them.

- [ ] [Environment](../../settings/environments) \`production\`: required reviewers, and only the branch \`main\`. Its secrets:
      \`WLANCTL_API_TOKEN\`, a token that can write, and each \`WLAN_SECRET_…\` that the files name.
- [ ] [Repository secret](../../settings/secrets/actions) \`WLANCTL_READ_TOKEN\`: a read-only token of an account to which the service
      hides secrets. \`WEBHOOK_URL\` for notifications is optional.
- [ ] [Rules](../../settings/rules) for \`main\`: changes by pull request only, a review by code owners, new commits dismiss earlier
      approvals, and the required checks \`wlans / Validate\` and \`wlans / Plan\`.
- [ ] [Actions](../../settings/actions): a read-only default token; runs of first-time contributors need an approval.${adopts ? PULL_REQUESTS : ''}

In a private repository, environments and rules need GitHub Pro, Team or Enterprise, and required reviewers of an environment need
GitHub Enterprise. Without reviewers, each merge to \`main\` is applied at once: the review of the pull request is the only approval.
`
}

const PULL_REQUESTS = ` For
      \`adopt.yml\`: "Allow GitHub Actions to create and approve pull requests".`

const TOKENS: Readonly<Record<string, string>> = {
  WLANCTL_READ_TOKEN: 'a read-only token of the service',
  WLANCTL_WRITE_TOKEN:
    'a token of the service that can write: protected, and of the environment `production` only',
  WLANCTL_GITLAB_TOKEN:
    'a project access token with the role Reporter and the scope `api`, for notes and issues'
}

function gitlab({ variables }: ReadmeFacts): string {
  const tokens = variables.flatMap(name =>
    name in TOKENS ? `      - \`${name}\`: ${TOKENS[name]}\n` : []
  )
  return `## Still to switch on

- [ ] Settings, CI/CD, Variables, each masked and hidden:
${tokens.join('')}      - each \`WLAN_SECRET_…\` that the files name: protected, and of the environment \`production\` only
- [ ] Operate, Environments: \`production\`, protected, with approvals. This needs GitLab Premium or Ultimate.
- [ ] Settings, Repository, Protected branches: \`main\`, with changes by merge request only and the approval of code owners. Code owners need
      GitLab Premium or Ultimate.
- [ ] Settings, Merge requests: pipelines must succeed.
- [ ] Build, Pipeline schedules: a daily pipeline for drift.

\`wlanctl doctor --ci\` checks the jobs. It sees none of these settings, since GitLab shows them to tokens of its API only.

[The jobs](.gitlab/wlanctl/README.md) are described next to their programs.
`
}
