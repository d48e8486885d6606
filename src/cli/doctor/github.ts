import { listFirst, plural } from '../../core/values/text.ts'
import { type Change, type Check, type Found, MAX_NAMES, Unseen } from './check.ts'
import { type CiSubject, environmentsIn } from './ci-files.ts'
import type { Settings } from './forge-settings.ts'

/** The required check of a pull request: the job of `plan.yml`. */
export const REQUIRED_CHECK = 'Plan'

/** A repository on GitHub: its checkout, and its settings. */
export interface GithubRepository extends CiSubject {
  /** Owner and name, with `/`. */
  readonly name: string
  readonly branch: string
  readonly isPrivate: boolean
  readonly isOrganization: boolean
  readonly settings: Settings
  /** Who has to review each apply from now on. */
  readonly reviewers: readonly Reviewer[]
}

export interface Reviewer {
  readonly type: 'User' | 'Team'
  readonly id: number
}

const WRITE_TOKEN = 'WLANCTL_API_TOKEN'
const READ_TOKEN = 'WLANCTL_READ_TOKEN'

export const UNSEEN =
  'ask an administrator of the repository to run this check, or to look at its settings'

const PRIVATE_PLANS =
  'in a private repository, environments and rules need GitHub Pro, Team or Enterprise, and required reviewers need GitHub Enterprise'

export const githubChecks: readonly Check<GithubRepository>[] = [
  {
    about: 'repository',
    check: ({ name, isPrivate }) => `${name}, ${isPrivate ? 'private' : 'public'}`
  },
  // https://docs.github.com/en/actions/reference/workflows-and-actions/deployments-and-environments
  { about: 'plan', check: plan, fix: PRIVATE_PLANS },
  { about: 'actions', check: actions },
  {
    about: 'default token',
    async check({ settings, name }) {
      const path = `repos/${name}/actions/permissions/workflow`
      const { default_workflow_permissions: level } = await settings.get<WorkflowToken>(path)
      if (level === 'read') return 'workflows get a read-only token unless they ask for more'
      const summary = 'give workflows a read-only token unless they ask for more'
      const body = { default_workflow_permissions: 'read' }
      return {
        wrong: `expected read permissions by default, got ${level ?? 'none'}`,
        changes: [{ summary, method: 'PUT', path, body }]
      }
    },
    fix: 'Settings, Actions, Workflow permissions: read; `--apply` does it'
  },
  {
    about: 'pull requests',
    async check({ settings, name, ci: { jobs } }) {
      if (!jobs.some(({ commands }) => commands.has('adopt'))) return undefined
      const path = `repos/${name}/actions/permissions/workflow`
      const { can_approve_pull_request_reviews: may } = await settings.get<WorkflowToken>(path)
      if (may) return 'workflows may open pull requests, for adopt'
      return { note: 'workflows may not open pull requests' }
    },
    fix: 'for adopt: Settings, Actions, "Allow GitHub Actions to create and approve pull requests"; required reviews then still need a code owner'
  },
  {
    about: 'environment',
    check: forEach(branchesOf),
    fix: ({ branch }) =>
      `Settings, Environments: restrict it to the branch ${branch}; \`--apply\` does it`
  },
  {
    about: 'reviewers',
    check: forEach(reviewed),
    fix: ({ isPrivate }) =>
      `name them with \`--apply --reviewer @ORGANIZATION/TEAM\`${isPrivate ? '; in a private repository this needs GitHub Enterprise' : ''}`
  },
  {
    about: 'write token',
    check: forEach(({ name, commands, secrets }) => {
      if (commands === undefined) return undefined
      if (secrets?.includes(WRITE_TOKEN)) return `${WRITE_TOKEN} is in ${name}`
      const fix = `gh secret set ${WRITE_TOKEN} --env ${name}`
      return { wrong: `${WRITE_TOKEN} is not in the environment ${name}`, fix }
    })
  },
  { about: 'secrets', check: forEach(stored) },
  {
    about: 'secrets in the files',
    check: named,
    fix: 'add each to the `env` of the steps that send, as the others there; or set `WLANCTL_SECRETS_COMMAND`'
  },
  {
    about: 'read token',
    async check(repository) {
      const secrets = await repositorySecrets(repository)
      if (secrets.includes(READ_TOKEN)) return `${READ_TOKEN} is a repository secret`
      return { wrong: `${READ_TOKEN} is not a repository secret` }
    },
    fix: `gh secret set ${READ_TOKEN}, with a read-only token`
  },
  { about: 'scope of secrets', check: scope },
  {
    about: 'branch rules',
    async check(repository) {
      const lacking = await lackingRules(repository)
      const all = [...lacking.reviews, ...lacking.checks.map(name => `the check ${name}`)]
      if (all.length === 0) return `${repository.branch} changes by reviewed pull requests only`
      const wrong = `${repository.branch} lacks: ${all.join(', ')}`
      return { wrong, changes: [rulesetFor(lacking, repository)] }
    },
    fix: 'Settings, Rules; `--apply` does it'
  }
]

interface WorkflowToken {
  readonly default_workflow_permissions?: string
  readonly can_approve_pull_request_reviews?: boolean
}

async function plan({
  settings,
  name,
  isPrivate,
  isOrganization
}: GithubRepository): Promise<Found> {
  if (!isPrivate) return 'the repository is public: every plan has environments'
  const owner = await settings.answer(isOrganization ? `orgs/${name.split('/')[0]}` : 'user')
  const found = 'value' in owner ? (owner.value as { plan?: { name?: string } }).plan?.name : ''
  if (found === 'free') {
    const fix = `${PRIVATE_PLANS}; without them, anyone who can push can use the token that can write`
    return { wrong: 'the repository is private, and the plan is free', fix }
  }
  if (found === 'enterprise' || found?.startsWith('business')) return found
  const shown = found ? `the plan is ${found}` : 'the plan cannot be seen with this login'
  return { note: `${shown}; the repository is private` }
}

async function actions({ settings, name }: GithubRepository): Promise<Found> {
  const { enabled, allowed_actions: allowed = 'all' } = await settings.get<{
    enabled?: boolean
    allowed_actions?: string
  }>(`repos/${name}/actions/permissions`)
  if (enabled === false) {
    return { wrong: 'Actions are disabled', fix: 'enable them: Settings, Actions' }
  }
  if (allowed === 'all') return 'actions may run'
  const fix = 'allow those of GitHub, `actions/*`: Settings, Actions'
  if (allowed === 'local_only') return { wrong: 'only actions of the same owner may run', fix }
  return { note: 'only selected actions may run', fix }
}

interface EnvironmentSettings {
  readonly name: string
  readonly protection_rules?: readonly {
    readonly type?: string
    readonly wait_timer?: number
    readonly prevent_self_review?: boolean
    readonly reviewers?: readonly {
      readonly type: Reviewer['type']
      readonly reviewer: { readonly id: number }
    }[]
  }[]
  readonly deployment_branch_policy?: {
    readonly protected_branches?: boolean
    readonly custom_branch_policies?: boolean
  } | null
}

/** An environment that the files need, or that has a token that can write. */
interface Environment {
  readonly name: string
  /** What its jobs run; undefined if the files do not name it. */
  readonly commands: ReadonlySet<string> | undefined
  /** Undefined if it does not exist. */
  readonly found: EnvironmentSettings | undefined
  readonly reviewers: readonly Reviewer[]
  /** The only branches that may use it; undefined if all may. */
  readonly branches: readonly string[] | 'protected' | undefined
  readonly secrets: readonly string[] | undefined
}

type Secrets = { readonly secrets?: readonly { readonly name: string }[] }

async function environmentsOf({ settings, name, ci }: GithubRepository): Promise<Environment[]> {
  const root = `repos/${name}/environments`
  const { environments = [] } = await settings.get<{ environments?: EnvironmentSettings[] }>(
    `${root}?per_page=100`
  )
  const needed = environmentsIn(ci)
  const names = new Set([...needed.keys(), ...environments.map(each => each.name)])
  const all = [...names].map(async (each): Promise<Environment> => {
    const place = `${root}/${encodeURIComponent(each)}`
    const found = environments.find(environment => environment.name === each)
    const policy = found?.deployment_branch_policy
    const reviews = found?.protection_rules?.find(({ type }) => type === 'required_reviewers')
    const [listed, patterns] = await Promise.all([
      found && settings.get<Secrets>(`${place}/secrets?per_page=100`),
      policy?.custom_branch_policies
        ? settings.get<{ branch_policies?: { name: string }[] }>(
            `${place}/deployment-branch-policies?per_page=100`
          )
        : undefined
    ])
    return {
      name: each,
      commands: needed.get(each),
      found,
      reviewers: (reviews?.reviewers ?? []).map(({ type, reviewer: { id } }) => ({ type, id })),
      branches: policy?.protected_branches
        ? 'protected'
        : patterns && (patterns.branch_policies ?? []).map(pattern => pattern.name),
      secrets: listed?.secrets?.map(secret => secret.name)
    }
  })
  const found = await Promise.all(all)
  return found.filter(({ commands, secrets }) => commands || secrets?.includes(WRITE_TOKEN))
}

function forEach(
  check: (environment: Environment, repository: GithubRepository) => Found
): Check<GithubRepository>['check'] {
  return async repository =>
    (await environmentsOf(repository)).map(environment => check(environment, repository))
}

function branchesOf(environment: Environment, repository: GithubRepository): Found {
  const { name, commands, found, branches, secrets } = environment
  const { branch } = repository
  const changes = environmentChanges(environment, repository)
  if (found === undefined) return { wrong: `the environment ${name} does not exist`, changes }
  const has = commands || !secrets ? name : `${name}, which has ${WRITE_TOKEN}`
  if (branches === undefined) return { wrong: `every branch can use ${has}`, changes }
  if (branches === 'protected') return `${name}, for protected branches`
  if (!branches.includes(branch)) return { wrong: `${branch} cannot use ${has}`, changes }
  if (branches.length === 1) return `${name}, for the branch ${branch}`
  const fix = `changes are sent from ${branch} only: remove the others`
  const many = plural(branches.length, 'branch pattern')
  return { note: `${many} can use ${has}: ${branches.join(', ')}`, fix }
}

function reviewed(environment: Environment, repository: GithubRepository): Found {
  const { name, commands, found, reviewers } = environment
  if (commands === undefined || found === undefined) return undefined
  if (commands.has('scheduled')) {
    if (reviewers.length === 0) return `${name} waits for no one`
    const fix = `remove them: Settings, Environments, ${name}`
    return { wrong: `each scheduled run waits for a reviewer of ${name}`, fix }
  }
  if (reviewers.length > 0) return `${plural(reviewers.length, 'reviewer')} must approve each apply`
  const changes = environmentChanges(environment, repository)
  return { note: `none in ${name}: each merge is applied without another approval`, changes }
}

function stored(
  { name, commands, secrets = [] }: Environment,
  { ci, fleet }: GithubRepository
): Found {
  if (commands === undefined) return undefined
  if (fleet === undefined) {
    const fix = 'see the errors with: wlanctl validate'
    return { note: 'not checked: the files of the fleet have errors', fix }
  }
  const missing = hasCommand(ci) ? [] : fleet.secrets.filter(each => !secrets.includes(each))
  if (missing.length > 0) {
    return {
      wrong: `${missing.length} of ${fleet.secrets.length} are not in ${name}: ${listFirst(missing, MAX_NAMES)}`,
      fix: `gh secret set -f secrets.env --env ${name}, with a line NAME=VALUE for each; or \`WLANCTL_SECRETS_COMMAND\``
    }
  }
  if (fleet.secrets.length === 0) return 'the files name none'
  return hasCommand(ci) ? 'a command gives them' : `all ${fleet.secrets.length} are in ${name}`
}

/** True if a workflow has a secrets command; in a comment it has none. */
function hasCommand({ texts }: CiSubject['ci']): boolean {
  return [...texts.values()].some(text => /^\s*WLANCTL_SECRETS_COMMAND:/m.test(text))
}

function named({ ci, fleet }: GithubRepository): readonly Found[] {
  if (fleet === undefined || hasCommand(ci)) return []
  const files = new Set(ci.jobs.filter(({ isSending }) => isSending).map(({ file }) => file))
  const lacking = [...files].flatMap(file => {
    const text = ci.texts.get(file) ?? ''
    const missing = fleet.secrets.filter(name => !new RegExp(`\\bsecrets\\.${name}\\b`).test(text))
    return missing.length === 0 ? [] : { wrong: `${file} lacks ${listFirst(missing, MAX_NAMES)}` }
  })
  return files.size > 0 && lacking.length === 0 ? ['every step that sends gets them'] : lacking
}

async function repositorySecrets(repository: GithubRepository): Promise<readonly string[]> {
  const { settings, name, isOrganization } = repository
  const root = `repos/${name}/actions`
  const own = await settings.get<Secrets>(`${root}/secrets?per_page=100`)
  const path = `${root}/organization-secrets?per_page=100`
  const shared = isOrganization ? await settings.answer(path) : {}
  const others = 'value' in shared ? (shared.value as Secrets).secrets : undefined
  return [...(own.secrets ?? []), ...(others ?? [])].map(secret => secret.name)
}

/** Warns about secrets of the repository, which runs of all branches get. */
async function scope(repository: GithubRepository): Promise<Found> {
  const exposed = (await repositorySecrets(repository)).filter(
    name => name === WRITE_TOKEN || name.startsWith('WLAN_SECRET_')
  )
  const [first] = exposed
  if (first === undefined) return 'no branch can use a token that can write, or a secret of a WLAN'
  const others = exposed.length > 1 ? ` and ${exposed.length - 1} more` : ''
  return {
    wrong: `every branch can use ${first}${others}: repository secrets`,
    fix: `move them to the environment, replace their values, and run: gh secret delete ${first}`
  }
}

interface Rule {
  readonly type?: string
  readonly parameters?: {
    readonly require_code_owner_review?: boolean
    readonly dismiss_stale_reviews_on_push?: boolean
    readonly required_status_checks?: readonly { readonly context: string }[]
  }
}

interface Protection {
  readonly required_pull_request_reviews?: {
    readonly require_code_owner_reviews?: boolean
    readonly dismiss_stale_reviews?: boolean
  }
  readonly required_status_checks?: { readonly contexts?: readonly string[] }
}

interface LackingRules {
  readonly reviews: readonly string[]
  readonly checks: readonly string[]
}

/** Looks at all rulesets, and at the older branch protection, which only administrators see. */
async function lackingRules(repository: GithubRepository): Promise<LackingRules> {
  const { settings, name, branch } = repository
  const each = encodeURIComponent(branch)
  const [rulesets, protection] = await Promise.all([
    settings.answer(`repos/${name}/rules/branches/${each}?per_page=100`),
    settings.answer(`repos/${name}/branches/${each}/protection`)
  ])
  const classic = 'value' in protection ? (protection.value as Protection) : undefined
  if (classic === undefined && !('value' in rulesets)) {
    throw new Unseen(`cannot be seen with this login: ${rulesets.reason}`)
  }
  const rules = 'value' in rulesets ? (rulesets.value as readonly Rule[]) : []
  const reviews = rules.filter(({ type }) => type === 'pull_request')
  const required = classic?.required_pull_request_reviews
  const isRequired = (key: 'require_code_owner_review' | 'dismiss_stale_reviews_on_push') =>
    reviews.some(({ parameters }) => parameters?.[key] === true)
  const checks = [
    ...rules.flatMap(({ parameters }) => parameters?.required_status_checks ?? []),
    ...(classic?.required_status_checks?.contexts ?? []).map(context => ({ context }))
  ]
  const wanted: [string, boolean | undefined][] = [
    ['changes by pull request only', reviews.length > 0 || required !== undefined],
    [
      'a review by code owners',
      isRequired('require_code_owner_review') || required?.require_code_owner_reviews
    ],
    [
      'new commits dismiss earlier approvals',
      isRequired('dismiss_stale_reviews_on_push') || required?.dismiss_stale_reviews
    ]
  ]
  return {
    reviews: wanted.flatMap(([rule, isThere]) => (isThere ? [] : rule)),
    checks: checks.some(({ context }) => context === REQUIRED_CHECK) ? [] : [REQUIRED_CHECK]
  }
}

/** An update replaces the whole environment, so it repeats its existing settings. */
function environmentChanges(
  { name: environment, commands, found, reviewers, branches }: Environment,
  { name, branch, reviewers: wanted }: GithubRepository
): Change[] {
  const place = `repos/${name}/environments/${encodeURIComponent(environment)}`
  const isKnown = ({ type, id }: Reviewer) =>
    reviewers.some(each => each.type === type && each.id === id)
  const isGate = commands !== undefined && !commands.has('scheduled')
  const added = isGate ? wanted.filter(each => !isKnown(each)) : []
  const rule = (type: string) => found?.protection_rules?.find(each => each.type === type)
  const isProtected = branches === 'protected'
  const update: Change = {
    summary: `${found === undefined ? 'create' : 'update'} the environment ${environment}${added.length > 0 ? ` with ${added.length} more required reviewers` : ''}${branches === undefined ? `, restricted to ${branch}` : ''}`,
    method: 'PUT',
    path: place,
    body: {
      wait_timer: rule('wait_timer')?.wait_timer ?? 0,
      prevent_self_review: rule('required_reviewers')?.prevent_self_review ?? false,
      reviewers: [...reviewers, ...added],
      deployment_branch_policy: {
        protected_branches: isProtected,
        custom_branch_policies: !isProtected
      }
    }
  }
  const allow: Change = {
    summary: `let the branch ${branch} use ${environment}`,
    method: 'POST',
    path: `${place}/deployment-branch-policies`,
    body: { name: branch }
  }
  return [
    ...(branches === undefined || added.length > 0 ? [update] : []),
    ...(isProtected || branches?.includes(branch) ? [] : [allow])
  ]
}

/** A ruleset is added to the existing ones, and the strictest applies. */
function rulesetFor({ reviews, checks }: LackingRules, { name, branch }: GithubRepository): Change {
  const review = {
    type: 'pull_request',
    parameters: {
      required_approving_review_count: 1,
      dismiss_stale_reviews_on_push: true,
      require_code_owner_review: true,
      require_last_push_approval: false,
      required_review_thread_resolution: false
    }
  }
  const check = {
    type: 'required_status_checks',
    parameters: {
      strict_required_status_checks_policy: false,
      required_status_checks: checks.map(context => ({ context }))
    }
  }
  const parts = [
    ...(reviews.length > 0 ? ['pull requests that code owners review'] : []),
    ...checks.map(each => `the check ${each}`)
  ]
  return {
    summary: `create a ruleset for ${branch} that requires ${parts.join(' and ')}`,
    method: 'POST',
    path: `repos/${name}/rulesets`,
    body: {
      name: 'wlanctl',
      target: 'branch',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
      rules: [...(reviews.length > 0 ? [review] : []), ...(checks.length > 0 ? [check] : [])]
    }
  }
}
