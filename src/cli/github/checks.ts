import type { DoctorCheck } from '../../model/finding.ts'
import { listFirst, plural } from '../../model/text.ts'
import { type CheckOutcome, note, ok, wrong } from '../doctor-checks.ts'
import type { BranchRules, EnvironmentSettings, GithubSettings, Seen } from './settings.ts'

/** The required status checks of a pull request: job of the caller, job of the called workflow. */
export const REQUIRED_CHECKS = ['wlans / Validate', 'wlans / Plan']

/** The settings that the workflows of a repository require. */
export interface Expected {
  readonly repository: string
  /** The environment of `apply`. */
  readonly environment: string
  /** The names of the `$env` secrets of the fleet; undefined if its files are invalid. */
  readonly secrets: readonly string[] | undefined
  /** True if a workflow opens pull requests. */
  readonly adopts: boolean
}

/** Checks the settings in order. */
export function settingChecks(settings: GithubSettings, expected: Expected): DoctorCheck[] {
  const { allowedActions, defaultToken, environment, rules } = settings
  return [
    planCheck(settings),
    checkOf('actions', allowedActions, actionsCheck),
    checkOf('default token', defaultToken, tokenCheck),
    ...(expected.adopts ? [checkOf('pull requests', settings.pullRequests, pullRequestCheck)] : []),
    checkOf('environment', environment, found => environmentCheck(found, settings, expected)),
    checkOf('reviewers', environment, found => reviewersCheck(found, settings)),
    checkOf('write token', settings.environmentSecrets, names => writeToken(names, expected)),
    checkOf('secrets', settings.environmentSecrets, names => fleetSecrets(names, expected)),
    checkOf('read token', settings.repositorySecrets, readToken),
    checkOf('scope of secrets', settings.repositorySecrets, scopeCheck),
    checkOf('branch rules', rules, found => rulesCheck(found, settings.branch)),
    checkOf('required checks', rules, requiredChecks)
  ]
}

/** Checks one setting; one that GitHub does not show becomes a note. */
function checkOf<T>(
  about: string,
  setting: Seen<T>,
  check: (value: T) => CheckOutcome
): DoctorCheck {
  if ('value' in setting) return { about, ...check(setting.value) }
  const todo =
    'ask an administrator of the repository to run this check, or to look at its settings'
  return { about, ...note(`cannot be seen with this login: ${setting.unseen}`, todo) }
}

const PRIVATE_PLANS =
  'in a private repository, environments and rules need GitHub Pro, Team or Enterprise, and required reviewers need GitHub Enterprise'

/** https://docs.github.com/en/actions/reference/workflows-and-actions/deployments-and-environments */
function planCheck({ private: isPrivate, plan }: GithubSettings): DoctorCheck {
  const about = 'plan'
  if (!isPrivate) return { about, ...ok('the repository is public: every plan has environments') }
  const name = 'value' in plan ? plan.value : ''
  if (name === 'free') {
    const todo = `${PRIVATE_PLANS}; without them, anyone who can push can use the token that can write`
    return { about, ...wrong('the repository is private, and the plan is free', todo) }
  }
  if (name === 'enterprise' || name.startsWith('business')) return { about, ...ok(name) }
  const said = name === '' ? 'the plan cannot be seen with this login' : `the plan is ${name}`
  return { about, ...note(`${said}; the repository is private`, PRIVATE_PLANS) }
}

function actionsCheck(allowed: string | undefined): CheckOutcome {
  if (allowed === undefined) return wrong('Actions are disabled', 'enable them: Settings, Actions')
  if (allowed === 'local_only') {
    const todo = 'allow the repository of wlanctl and those of GitHub: Settings, Actions'
    return wrong('only actions and workflows of the same owner may run', todo)
  }
  if (allowed === 'all') return ok('actions and reusable workflows may run')
  const todo = 'the list must have the repository of wlanctl and those of GitHub'
  return note('only selected actions and workflows may run', todo)
}

function tokenCheck(level: string): CheckOutcome {
  if (level === 'read') return ok('workflows get a read-only token unless they ask for more')
  const todo = 'Settings, Actions, Workflow permissions: read; `--apply` does it'
  return wrong(`expected read permissions by default, got ${level || 'none'}`, todo)
}

function pullRequestCheck(mayOpen: boolean): CheckOutcome {
  if (mayOpen) return ok('workflows may open pull requests, for adopt')
  const todo =
    'for adopt: Settings, Actions, "Allow GitHub Actions to create and approve pull requests"; required reviews then still need a code owner'
  return note('workflows may not open pull requests', todo)
}

function environmentCheck(
  found: EnvironmentSettings | undefined,
  { branch }: GithubSettings,
  { environment }: Expected
): CheckOutcome {
  const todo = `Settings, Environments: restrict it to the branch ${branch}; \`--apply\` does it`
  if (found === undefined) return wrong(`the environment ${environment} does not exist`, todo)
  const { branches } = found
  if (branches === undefined) return wrong(`every branch can use ${environment}`, todo)
  if (branches === 'protected') return ok(`${environment}, for protected branches`)
  if (!branches.includes(branch)) return wrong(`${branch} cannot use ${environment}`, todo)
  if (branches.length > 1) {
    const said = `${plural(branches.length, 'branch pattern')} can use ${environment}: ${branches.join(', ')}`
    return note(said, `apply runs on ${branch} only: remove the others`)
  }
  return ok(`${environment}, for the branch ${branch}`)
}

function reviewersCheck(
  found: EnvironmentSettings | undefined,
  { private: isPrivate }: GithubSettings
) {
  const amount = found?.reviewers.length ?? 0
  if (amount > 0) return ok(`${plural(amount, 'reviewer')} must approve each apply`)
  const todo = `name them with \`--apply --reviewer @ORGANIZATION/TEAM\`${isPrivate ? '; in a private repository this needs GitHub Enterprise' : ''}`
  return note('none: each merge is applied without another approval', todo)
}

function writeToken(names: readonly string[], { environment }: Expected): CheckOutcome {
  if (names.includes('WLANCTL_API_TOKEN')) return ok(`WLANCTL_API_TOKEN is in ${environment}`)
  const todo = `gh secret set WLANCTL_API_TOKEN --env ${environment}`
  return wrong(`WLANCTL_API_TOKEN is not in the environment ${environment}`, todo)
}

/** A message lists at most this many names. */
const MAX_NAMES = 8

function fleetSecrets(names: readonly string[], { environment, secrets }: Expected): CheckOutcome {
  if (secrets === undefined) {
    const todo = 'see the errors with: wlanctl validate'
    return note('not checked: the files of the fleet have errors', todo)
  }
  const missing = secrets.filter(name => !names.includes(name))
  if (missing.length === 0) {
    return ok(
      secrets.length === 0 ? 'the files name none' : `all ${secrets.length} are in ${environment}`
    )
  }
  const todo = `gh secret set ${missing[0]} --env ${environment}; or give apply a \`--secrets-command\``
  const listed = listFirst(missing, MAX_NAMES)
  return wrong(`${missing.length} of ${secrets.length} are not in ${environment}: ${listed}`, todo)
}

function readToken(names: readonly string[]): CheckOutcome {
  if (names.includes('WLANCTL_READ_TOKEN')) return ok('WLANCTL_READ_TOKEN is a repository secret')
  const todo = 'gh secret set WLANCTL_READ_TOKEN, with a read-only token'
  return wrong('WLANCTL_READ_TOKEN is not a repository secret', todo)
}

/** Warns about secrets of the repository, which runs of all branches get. */
function scopeCheck(names: readonly string[]): CheckOutcome {
  const exposed = names.filter(
    name => name === 'WLANCTL_API_TOKEN' || name.startsWith('WLAN_SECRET_')
  )
  if (exposed.length === 0)
    return ok('no branch can use a token that can write, or a secret of a WLAN')
  const [first = ''] = exposed
  const others = exposed.length > 1 ? ` and ${exposed.length - 1} more` : ''
  const todo = `move them to the environment, replace their values, and run: gh secret delete ${first}`
  return wrong(`every branch can use ${first}${others}: repository secrets`, todo)
}

function rulesCheck(found: BranchRules, branch: string): CheckOutcome {
  const lacking = [
    ...(found.pullRequest ? [] : ['changes by pull request only']),
    ...(found.codeOwners ? [] : ['a review by code owners']),
    ...(found.dismissStale ? [] : ['new commits dismiss earlier approvals'])
  ]
  if (lacking.length === 0) return ok(`${branch} changes by reviewed pull requests only`)
  return wrong(`${branch} lacks: ${lacking.join(', ')}`, 'Settings, Rules; `--apply` does it')
}

function requiredChecks({ checks }: BranchRules): CheckOutcome {
  const missing = REQUIRED_CHECKS.filter(name => !checks.includes(name))
  if (missing.length === 0) return ok(REQUIRED_CHECKS.join(', '))
  return wrong(`not required: ${missing.join(', ')}`, 'Settings, Rules; `--apply` does it')
}
