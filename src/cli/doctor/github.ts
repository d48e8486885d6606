import { listFirst, plural } from '../../core/values/text.ts'
import { type Check, ciAddressCheck, MAX_NAMES, Unseen } from './check.ts'
import type { BranchRules, GithubSettings, Seen } from './github-settings.ts'

/** The required status checks of a pull request: job of the caller, job of the called workflow. */
export const REQUIRED_CHECKS = ['wlans / Validate', 'wlans / Plan']

/** A repository on GitHub: its checkout, its settings, and what its workflows require. */
export interface Repository extends GithubSettings {
  /** Owner and name, with `/`. */
  readonly repository: string
  /** The texts of the workflows and CODEOWNERS, by path. */
  readonly files: ReadonlyMap<string, string>
  /** The environment of `apply`. */
  readonly environmentName: string
  /** The names of the `$env` secrets of the fleet; undefined if its files are invalid. */
  readonly secrets: readonly string[] | undefined
}

const WRITE_TOKEN = 'WLANCTL_API_TOKEN'
const READ_TOKEN = 'WLANCTL_READ_TOKEN'

export const FIX_OF_UNSEEN =
  'ask an administrator of the repository to run this check, or to look at its settings'

const PRIVATE_PLANS =
  'in a private repository, environments and rules need GitHub Pro, Team or Enterprise, and required reviewers need GitHub Enterprise'

const ADMIN_FIX = 'Settings, Rules; `--apply` does it'

export const repositoryChecks: readonly Check<Repository>[] = [
  {
    about: 'repository',
    check: ({ repository, private: isPrivate }) =>
      `${repository}, ${isPrivate ? 'private' : 'public'}`
  },
  { about: 'workflows', check: workflows },
  ciAddressCheck,
  // https://docs.github.com/en/actions/reference/workflows-and-actions/deployments-and-environments
  { about: 'plan', check: plan, fix: PRIVATE_PLANS },
  { about: 'actions', check: ({ allowedActions }) => actions(see(allowedActions)) },
  {
    about: 'default token',
    check({ defaultToken }) {
      const level = see(defaultToken)
      if (level === 'read') return 'workflows get a read-only token unless they ask for more'
      return { wrong: `expected read permissions by default, got ${level || 'none'}` }
    },
    fix: 'Settings, Actions, Workflow permissions: read; `--apply` does it'
  },
  {
    about: 'pull requests',
    check({ files, pullRequests }) {
      if (!files.has('.github/workflows/adopt.yml')) return undefined
      if (see(pullRequests)) return 'workflows may open pull requests, for adopt'
      return { note: 'workflows may not open pull requests' }
    },
    fix: 'for adopt: Settings, Actions, "Allow GitHub Actions to create and approve pull requests"; required reviews then still need a code owner'
  },
  {
    about: 'environment',
    check: environment,
    fix: ({ branch }) =>
      `Settings, Environments: restrict it to the branch ${branch}; \`--apply\` does it`
  },
  {
    about: 'reviewers',
    check(found) {
      const amount = see(found.environment)?.reviewers.length ?? 0
      if (amount > 0) return `${plural(amount, 'reviewer')} must approve each apply`
      return { note: 'none: each merge is applied without another approval' }
    },
    fix: ({ private: isPrivate }) =>
      `name them with \`--apply --reviewer @ORGANIZATION/TEAM\`${isPrivate ? '; in a private repository this needs GitHub Enterprise' : ''}`
  },
  {
    about: 'write token',
    check({ environmentSecrets, environmentName: name }) {
      if (see(environmentSecrets).includes(WRITE_TOKEN)) return `${WRITE_TOKEN} is in ${name}`
      return { wrong: `${WRITE_TOKEN} is not in the environment ${name}` }
    },
    fix: ({ environmentName }) => `gh secret set ${WRITE_TOKEN} --env ${environmentName}`
  },
  { about: 'secrets', check: fleetSecrets },
  {
    about: 'read token',
    check({ repositorySecrets }) {
      if (see(repositorySecrets).includes(READ_TOKEN)) return `${READ_TOKEN} is a repository secret`
      return { wrong: `${READ_TOKEN} is not a repository secret` }
    },
    fix: `gh secret set ${READ_TOKEN}, with a read-only token`
  },
  { about: 'scope of secrets', check: scope },
  {
    about: 'branch rules',
    check({ rules, branch }) {
      const lacking = lackingRules(see(rules))
      if (lacking.length === 0) return `${branch} changes by reviewed pull requests only`
      return { wrong: `${branch} lacks: ${lacking.join(', ')}` }
    },
    fix: ADMIN_FIX
  },
  {
    about: 'required checks',
    check({ rules }) {
      const missing = missingChecks(see(rules))
      if (missing.length === 0) return REQUIRED_CHECKS.join(', ')
      return { wrong: `not required: ${missing.join(', ')}` }
    },
    fix: ADMIN_FIX
  }
]

/** The value of a setting; throws if GitHub does not show it. */
function see<T>(setting: Seen<T>): T {
  if ('value' in setting) return setting.value
  throw new Unseen(`cannot be seen with this login: ${setting.unseen}`)
}

/** The rules that a branch lacks for reviewed changes. */
export function lackingRules({ pullRequest, codeOwners, dismissStale }: BranchRules): string[] {
  return [
    ...(pullRequest ? [] : ['changes by pull request only']),
    ...(codeOwners ? [] : ['a review by code owners']),
    ...(dismissStale ? [] : ['new commits dismiss earlier approvals'])
  ]
}

/** The checks that a branch should require, and does not. */
export function missingChecks({ checks }: BranchRules): string[] {
  return REQUIRED_CHECKS.filter(name => !checks.includes(name))
}

function workflows({ files }: Repository) {
  const amount = [...files.keys()].filter(file => !file.endsWith('CODEOWNERS')).length
  if (amount === 0) {
    return { wrong: 'the checkout has no workflow', fix: 'run: wlanctl init --ci github' }
  }
  const open = [...files].filter(([, text]) => /@0{40}|@example\//.test(text))
  if (open.length === 0) return plural(amount, 'workflow')
  return {
    wrong: `a placeholder of the examples is left in ${open.map(([file]) => file).join(', ')}`,
    fix: 'replace it by your teams, and by the repository and commit of wlanctl'
  }
}

function plan({ private: isPrivate, plan: found }: Repository) {
  if (!isPrivate) return 'the repository is public: every plan has environments'
  const name = 'value' in found ? found.value : ''
  if (name === 'free') {
    const fix = `${PRIVATE_PLANS}; without them, anyone who can push can use the token that can write`
    return { wrong: 'the repository is private, and the plan is free', fix }
  }
  if (name === 'enterprise' || name.startsWith('business')) return name
  const plan = name === '' ? 'the plan cannot be seen with this login' : `the plan is ${name}`
  return { note: `${plan}; the repository is private` }
}

function actions(allowed: string | undefined) {
  if (allowed === 'all') return 'actions and reusable workflows may run'
  if (allowed === undefined) {
    return { wrong: 'Actions are disabled', fix: 'enable them: Settings, Actions' }
  }
  if (allowed === 'local_only') {
    const fix = 'allow the repository of wlanctl and those of GitHub: Settings, Actions'
    return { wrong: 'only actions and workflows of the same owner may run', fix }
  }
  const fix = 'the list must have the repository of wlanctl and those of GitHub'
  return { note: 'only selected actions and workflows may run', fix }
}

function environment({ environment: found, environmentName: name, branch }: Repository) {
  const settings = see(found)
  if (settings === undefined) return { wrong: `the environment ${name} does not exist` }
  const { branches } = settings
  if (branches === undefined) return { wrong: `every branch can use ${name}` }
  if (branches === 'protected') return `${name}, for protected branches`
  if (!branches.includes(branch)) return { wrong: `${branch} cannot use ${name}` }
  if (branches.length === 1) return `${name}, for the branch ${branch}`
  return {
    note: `${plural(branches.length, 'branch pattern')} can use ${name}: ${branches.join(', ')}`,
    fix: `apply runs on ${branch} only: remove the others`
  }
}

function fleetSecrets({ environmentSecrets, environmentName: name, secrets }: Repository) {
  const found = see(environmentSecrets)
  if (secrets === undefined) {
    const fix = 'see the errors with: wlanctl validate'
    return { note: 'not checked: the files of the fleet have errors', fix }
  }
  const missing = secrets.filter(each => !found.includes(each))
  if (missing.length === 0) {
    return secrets.length === 0 ? 'the files name none' : `all ${secrets.length} are in ${name}`
  }
  const listed = listFirst(missing, MAX_NAMES)
  return {
    wrong: `${missing.length} of ${secrets.length} are not in ${name}: ${listed}`,
    fix: `gh secret set ${missing[0]} --env ${name}; or give apply a \`--secrets-command\``
  }
}

/** Warns about secrets of the repository, which runs of all branches get. */
function scope({ repositorySecrets }: Repository) {
  const exposed = see(repositorySecrets).filter(
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
