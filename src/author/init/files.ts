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
  readonly schema: unknown
  /** The default branch of the repository; default: `main`. */
  readonly branch?: string
}

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
.wlanctl-tmp-*
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

/** What the examples have in place of the choices. */
const OWNERS = /@example\/(?:network|platform)\b/g
const ADDRESS = /https:\/\/api\.mist\.com\b/g
const VERSION = /(?<="wlanctl": ")[^"]+/
const BRANCH = /(?<=branches: \[|the branch `)main(?=[\]`])/g

/** The address in CI files for which no address is given. */
export const DEFAULT_ADDRESS = 'https://api.mist.com'

function fill(text: string, { baseUrl, owner, version, branch }: StarterChoices): string {
  const named = text.replace(VERSION, () => version)
  const ours = branch === undefined ? named : named.replace(BRANCH, () => branch)
  const owned = owner === undefined ? ours : ours.replace(OWNERS, () => owner)
  return baseUrl === undefined ? owned : owned.replace(ADDRESS, () => baseUrl)
}

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
function github({ branch = 'main' }: StarterChoices): string {
  return `## Still to switch on

- [ ] [Environment](../../settings/environments) \`wlan\`: only the branch \`${branch}\`, and no reviewers, because the merge was the approval.
      Its secrets: \`WLANCTL_API_TOKEN\`, a token of the service that can write, and \`WLANCTL_SECRETS\`, a line \`NAME=value\` for each
      secret that the files name.
- [ ] Environment \`wlan-manual\`: the people who approve a run by hand; no secrets.
- [ ] [Repository secret](../../settings/secrets/actions) \`WLANCTL_READ_TOKEN\`: a read-only token of an account to which the service
      hides secrets.
- [ ] [Rules](../../settings/rules) for \`${branch}\`: changes by pull request only, a review by code owners, new commits dismiss earlier
      approvals, the required checks \`plan\` and \`check\`; no tag may have that name.

\`\`\`sh
gh api -X PUT 'repos/{owner}/{repo}/environments/wlan' --input - <<<'{"deployment_branch_policy":{"protected_branches":false,"custom_branch_policies":true}}'
gh api 'repos/{owner}/{repo}/environments/wlan/deployment-branch-policies' -f name=${branch} -f type=branch
gh secret set WLANCTL_API_TOKEN --env wlan
gh secret set WLANCTL_SECRETS --env wlan <secrets.env
gh secret set WLANCTL_READ_TOKEN
team=$(gh api orgs/ORGANIZATION/teams/TEAM --jq .id)
gh api -X PUT 'repos/{owner}/{repo}/environments/wlan-manual' --input - <<<'{"prevent_self_review":true,"reviewers":[{"type":"Team","id":'"$team"'}]}'
gh api 'repos/{owner}/{repo}/rulesets' --input - <<'JSON'
{ "name": "wlanctl", "target": "branch", "enforcement": "active",
  "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
  "rules": [
    { "type": "deletion" }, { "type": "non_fast_forward" },
    { "type": "pull_request", "parameters": {
      "required_approving_review_count": 1, "require_code_owner_review": true, "dismiss_stale_reviews_on_push": true,
      "require_last_push_approval": true, "required_review_thread_resolution": false } },
    { "type": "required_status_checks", "parameters": {
      "strict_required_status_checks_policy": false,
      "required_status_checks": [{ "context": "plan" }, { "context": "check" }] } }] }
JSON
gh api 'repos/{owner}/{repo}/rulesets' --input - <<'JSON'
{ "name": "wlanctl tag", "target": "tag", "enforcement": "active",
  "conditions": { "ref_name": { "include": ["refs/tags/${branch}"], "exclude": [] } },
  "rules": [{ "type": "creation" }] }
JSON
\`\`\`

In a private repository, environments and rules need GitHub Pro, Team or Enterprise, and the reviewers of an environment need GitHub
Enterprise: without them, everyone who can push can start a run by hand.

The [variable](../../settings/variables/actions) \`WLANCTL_SUSPEND\` stops everything that sends, until you delete it; its value is the reason.
`
}

function gitlab({ branch = 'main' }: StarterChoices): string {
  return `## Still to switch on

- [ ] Settings, CI/CD, Variables:
      - \`WLANCTL_READ_TOKEN\`: a read-only token of the service
      - \`WLANCTL_FORGE_TOKEN\`, environment \`*\`: a project access token with the role Developer and the scope \`api\`, for plans and reports;
        another one with the scope \`read_api\`, protected, for the environment \`wlan\`
      - \`WLANCTL_WRITE_TOKEN\`: a token of the service that can write: protected, for the environment \`wlan\`
      - \`WLANCTL_SECRETS\`, of the type file: a line \`NAME=value\` for each secret that the files name: protected, for the environment \`wlan\`
- [ ] Operate, Environments: \`wlan-manual\`, protected: the people who may start a run by hand.
- [ ] Build, Pipeline schedules, for \`${branch}\`: one every hour, and one every night with the variable \`TASK\` = \`drift\`.
- [ ] Settings, Merge requests: pipelines must succeed. Settings, CI/CD: "Prevent outdated deployment jobs" off, and only maintainers may use
      pipeline variables.
- [ ] Settings, Repository: \`${branch}\` is protected, with changes by merge request only and the approval of code owners; no tag may have
      that name.

\`\`\`sh
glab variable set WLANCTL_READ_TOKEN --masked <read-token
glab variable set WLANCTL_FORGE_TOKEN --masked <api-token
glab variable set WLANCTL_FORGE_TOKEN --masked --protected --scope wlan <read-api-token
glab variable set WLANCTL_WRITE_TOKEN --masked --protected --scope wlan <write-token
glab variable set WLANCTL_SECRETS --type file --protected --scope wlan <secrets.env
glab schedule create --description apply --cron '17 * * * *' --ref ${branch}
glab schedule create --description drift --cron '43 3 * * *' --ref ${branch} --variable TASK:drift
glab api -X PUT projects/:id -F ci_forward_deployment_enabled=false -F only_allow_merge_if_pipeline_succeeds=true -f ci_pipeline_variables_minimum_override_role=maintainer
glab api projects/:id/protected_tags -f name=${branch} -F create_access_level=0
\`\`\`

Project access tokens on GitLab.com, protected environments and code owners need GitLab Premium or Ultimate.

The variable \`WLANCTL_SUSPEND\` stops everything that sends, until you delete it; its value is the reason.
`
}

/** The line by which a pipeline of GitLab has the jobs of wlanctl. */
export const GITLAB_INCLUDE = '- local: .gitlab/wlanctl.yml'

/** True if a `.gitlab-ci.yml` names the file with the jobs of wlanctl, outside of a comment. */
export function includesJobs(pipeline: string): boolean {
  return /^[^#\n]*\.gitlab\/wlanctl\.yml/m.test(pipeline)
}
