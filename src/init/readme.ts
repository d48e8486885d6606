/** What the README of a new repository says is left to do. */
export interface ReadmeFacts {
  readonly ci: 'github' | 'gitlab' | 'none'
  /** The files with placeholders. */
  readonly edits: { readonly repository: readonly string[]; readonly owners: readonly string[] }
  /** The tokens that the files of CI name. */
  readonly variables: readonly string[]
  /** True if a workflow opens pull requests. */
  readonly adopts: boolean
}

/** The README of a new repository: where things are, and what is still to edit and to switch on. */
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

| command                              | purpose                                            |
| ------------------------------------ | -------------------------------------------------- |
| \`wlanctl import --out sites SITE_ID\` | turns the live networks of another site into YAML  |
| \`wlanctl validate\`                   | checks the files; needs no network and no token    |
| \`wlanctl plan\`                       | shows what would change                            |
| \`wlanctl drift\`                      | shows where live differs from the files            |
| \`wlanctl doctor\`                     | checks everything a run needs, and suggests fixes  |

\`.vscode/\` has the schema of the files for editors; after an update of wlanctl: \`wlanctl schema fleet >.vscode/wlanctl.schema.json\`.
`

function editsLeft({ ci, edits: { repository, owners } }: ReadmeFacts): string {
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
        ])
  ]
  return list.length === 0 ? '' : `## Still to edit\n\n${list.join('\n')}\n`
}

function named(files: readonly string[]): string {
  return files.map(file => `[\`${file}\`](${file})`).join(', ')
}

/** Links to settings are relative, as GitHub resolves them in a README. */
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

/** The tokens of CI on GitLab. */
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

[The jobs](.gitlab/wlanctl/README.md) are described next to their programs.
`
}
