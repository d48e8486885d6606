import { starter } from '#starter'

/** The CI system that plans and applies the changes of a fleet. */
export const ciNames = ['github', 'gitlab', 'none'] as const

export type CiName = (typeof ciNames)[number]

/** The choices and the facts that determine the files of a new repository. */
export interface StarterChoices {
  readonly ci: CiName
  /** The address of the service; default: the address in the examples. */
  readonly baseUrl?: string
  /** The owner who approves changes, e.g. `@acme/network`; default: a placeholder. */
  readonly owner?: string
  /** The organization whose sites `drift` compares; default: none. */
  readonly org?: string
  /** The version of wlanctl that CI installs, e.g. `0.1.0`. */
  readonly version: string
  /** The JSON Schema of fleet files. */
  readonly schema: unknown
  /** The variables with the secrets that the files name, sorted. */
  readonly secrets: readonly string[]
}

/** A file of a new repository; its path is relative to the root and uses `/`. */
export interface StarterFile {
  readonly path: string
  readonly text: string
}

/** True for an owner in the notation of CODEOWNERS: `@user` or `@organization/team`. */
export function isOwner(owner: string): boolean {
  return /^@[\w.-]+(?:\/[\w./-]+)?$/.test(owner)
}

/** The file with the policy, which ends with its last key. */
export const POLICY_FILE = 'policy.yaml'

/** The policy of a new fleet of this number of networks. Its limits let a third of them change at once. */
export function policyFile({
  org,
  networks
}: Pick<StarterChoices, 'org'> & { readonly networks: number }): StarterFile {
  return { path: POLICY_FILE, text: policy(org, Math.max(20, Math.ceil(networks / 3))) }
}

/**
 * The files of a new repository except its policy and its sites, sorted by path. The root of the repository is the
 * fleet.
 */
export function starterFiles(choices: StarterChoices): readonly StarterFile[] {
  const files = [
    { path: '.gitignore', text: GITIGNORE },
    { path: '.vscode/extensions.json', text: json({ recommendations: ['redhat.vscode-yaml'] }) },
    { path: '.vscode/settings.json', text: json(EDITOR_SETTINGS) },
    // On one line, which keeps the diff of an upgrade small.
    { path: SCHEMA_FILE, text: `${JSON.stringify(choices.schema)}\n` },
    ...ciFiles(choices)
  ]
  const all = [...files, { path: 'README.md', text: readme(files, choices) }]
  return all.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The folder in which CI finds the version of wlanctl; undefined without CI. */
export function toolFolder(ci: CiName): string | undefined {
  return ci === 'none' ? undefined : `.${ci}/wlanctl`
}

const SCHEMA_FILE = '.vscode/wlanctl.schema.json'

const EDITOR_SETTINGS = {
  'yaml.schemas': {
    [SCHEMA_FILE]: ['/policy.yaml', '/profiles.yaml', '/tests.yaml', '/sites/**/*.yaml']
  },
  'yaml.format.enable': false
}

const GITIGNORE = `# Secrets and results of runs: they do not belong in Git.
.env
*.env
*.token
/secrets/
/wlanctl-results/
plan*.json
snapshot*.json
record*.jsonl
*.html
`

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function policy(org: string | undefined, maxChanges: number): string {
  return `# Limits for every run. \`wlanctl schema fleet\` has all keys, and editors complete them.
policy:
  # apply refuses a plan with more changes; \`--max-changes\` overrides it for one run.
  max_changes: ${maxChanges}
  # The same as a percentage of the declared WLANs, from 10 on.
  max_change_percent: 34
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

/** What the examples have in place of the choices: owners, an address, a version, and a line for each secret. */
const OWNERS = /@example\/(?:network|platform)\b/g
const ADDRESS = /https:\/\/api\.mist\.com\b/g
const VERSION = /(?<="wlanctl": ")[^"]+/
const SECRET = /^( +)WLAN_SECRET_GUEST_PSK: .*\n/gm

/** The address in CI files for which no address is given. */
export const DEFAULT_ADDRESS = 'https://api.mist.com'

/** The maximum number of secrets of an environment on GitHub; a fleet with more needs a secrets file. */
const MAX_SECRETS = 100

function fill(text: string, { baseUrl, owner, version, secrets }: StarterChoices): string {
  const lines = (indent: string) =>
    secrets.length > MAX_SECRETS
      ? ''
      : secrets.map(name => `${indent}${name}: \${{ secrets.${name} }}\n`).join('')
  const named = text
    .replace(VERSION, () => version)
    .replace(SECRET, (_, indent: string) => lines(indent))
  const owned = owner === undefined ? named : named.replace(OWNERS, () => owner)
  return baseUrl === undefined ? owned : owned.replace(ADDRESS, () => baseUrl)
}

/** The README of a new repository: its layout, the placeholders to replace, and the settings to make. */
function readme(files: readonly StarterFile[], choices: StarterChoices): string {
  const settings = { github, gitlab, none: () => '' }[choices.ci](choices)
  const parts = [INTRODUCTION, editsLeft(files, choices), settings, COMMANDS]
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
| \`wlanctl test\`           | runs the tests in \`tests.yaml\`                    |
| \`wlanctl plan\`           | shows what would change                           |
| \`wlanctl drift\`          | shows where live differs from the files           |
| \`wlanctl doctor\`         | checks everything a run needs, and suggests fixes |

\`.vscode/\` has the schema of the files for editors; after an update of wlanctl: \`wlanctl schema fleet >.vscode/wlanctl.schema.json\`.
`

function editsLeft(files: readonly StarterFile[], { baseUrl }: StarterChoices): string {
  const holding = (pattern: RegExp) =>
    files
      .filter(({ text }) => text.search(pattern) >= 0)
      .map(({ path }) => `[\`${path}\`](${path})`)
      .join(', ')
  const owners = holding(OWNERS)
  const address = baseUrl === undefined ? holding(ADDRESS) : ''
  const list = [
    ...(owners === ''
      ? []
      : [`- [ ] ${owners}: replace \`@example/network\` and \`@example/platform\` by your teams.`]),
    ...(address === ''
      ? []
      : [
          `- [ ] ${address}: replace \`${DEFAULT_ADDRESS}\` by the address of your service, if it differs.`
        ])
  ]
  return list.length === 0 ? '' : `## Still to edit\n\n${list.join('\n')}\n`
}

/** The steps on GitHub. Links to settings are relative, as GitHub resolves them in a README. */
function github({ secrets }: StarterChoices): string {
  const many =
    secrets.length > MAX_SECRETS
      ? `
      GitHub stores ${MAX_SECRETS} of them: write your ${secrets.length} to a file in a step before, and set \`WLANCTL_SECRETS_FILE\` in the workflows.`
      : ''
  return `## Still to switch on

- [ ] [Environment](../../settings/environments) \`production\`: only the branch \`main\`, and reviewers if a second person should approve
      each apply. Its secrets: \`WLANCTL_API_TOKEN\`, a token that can write, and each \`WLAN_SECRET_…\` that the files name
      (\`gh secret set -f secrets.env --env production\`).${many}
- [ ] [Repository secret](../../settings/secrets/actions) \`WLANCTL_READ_TOKEN\`: a read-only token of an account to which the service
      hides secrets.
- [ ] [Rules](../../settings/rules) for \`main\`: changes by pull request only, a review by code owners, new commits dismiss earlier
      approvals, and the required check \`Plan\`.
- [ ] [Actions](../../settings/actions): a read-only default token; runs of first-time contributors need an approval.

In a private repository, environments and rules need GitHub Pro, Team or Enterprise, and required reviewers of an environment need
GitHub Enterprise. Without reviewers, each merge to \`main\` is applied at once: the review of the pull request is the only approval.

The [variable](../../settings/variables/actions) \`WLANCTL_SUSPEND\` stops everything that sends, until you delete it; its value is the reason.
`
}

function gitlab(): string {
  return `## Still to switch on

- [ ] Settings, CI/CD, Variables, each masked and hidden:
      - \`WLANCTL_READ_TOKEN\`: a read-only token of the service
      - \`WLANCTL_WRITE_TOKEN\`: a token of the service that can write: protected, and of the environment \`production\` only
      - \`WLANCTL_GITLAB_TOKEN\`: a project access token with the role Developer and the scope \`api\`, for notes, issues and deployments
      - each \`WLAN_SECRET_…\` that the files name: protected, and of the environment \`production\` only
- [ ] Operate, Environments: \`production\`, protected: only those who may apply can deploy. This needs GitLab Premium or Ultimate.
- [ ] Settings, Repository, Protected branches: \`main\`, with changes by merge request only and the approval of code owners. Code owners need
      GitLab Premium or Ultimate.
- [ ] Settings, Merge requests: pipelines must succeed.
- [ ] Build, Pipeline schedules, for \`main\`: one every day with the variable \`TASK\` = \`drift\`.

The variable \`WLANCTL_SUSPEND\` stops everything that sends, until you delete it; its value is the reason.
`
}
