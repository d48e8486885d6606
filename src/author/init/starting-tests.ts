import { findKinds } from '../../core/audit/kinds.ts'
import type { DesiredSite } from '../../core/model/desired.ts'
import { parseCondition } from '../../core/query/condition.ts'
import { fieldNamed, type Subject, valuesOf } from '../../core/query/field.ts'
import { groupBy, isUsual, usual } from '../../core/values/collections.ts'
import type { StarterFile } from './files.ts'

/**
 * Tests that a fleet passes, in a file; none for a fleet without networks. They hold what nearly all sites of a kind have;
 * the others are exceptions, with the reason that they differ.
 */
export function startingTests(sites: readonly DesiredSite[]): StarterFile[] {
  const all = new Map(sites.map(site => [site, subjectsOf(site)]))
  const networks = (site: DesiredSite) => (all.get(site) ?? []).map(({ wlan = '' }) => wlan)
  const kinds = findKinds(sites, networks)
  const ofKinds = kinds.flatMap(kind => {
    const scope = kinds.length === 1 ? '' : scopeOf(kind.sites, sites)
    if (kind.sites.length < 2 || scope === undefined) return []
    const where = scope === '' ? 'each site' : `each site of ${kind.name}`
    return kind.networks.flatMap(key => networkTest({ key, where, scope }, kind.sites, all))
  })
  const tests = [...openTest(sites, all), ...ofKinds]
  const text = tests.map(([name, ...lines]) => {
    const members = lines.filter(line => line !== '').map(line => `    ${line}\n`)
    return `  - name: ${JSON.stringify(name)}\n${members.join('')}`
  })
  return tests.length === 0
    ? []
    : [{ path: 'tests.yaml', text: `${HEAD}tests:\n${text.join('\n')}` }]
}

const HEAD =
  '# What must stay true of these networks: `wlanctl test` runs it, and so does the plan of each pull request.\n'

type Subjects = ReadonlyMap<DesiredSite, readonly Subject[]>

/** The name of a test, and the lines below it. */
type StartingTest = readonly [name: string, ...lines: string[]]

function subjectsOf({ name, groups, wlans }: DesiredSite): Subject[] {
  return wlans
    .filter(({ managed }) => managed !== false)
    .map(({ key, fields }) => ({ site: name, wlan: key, groups, fields }))
}

function scopeOf(some: readonly DesiredSite[], sites: readonly DesiredSite[]) {
  const inKind = new Set(some)
  const group = some[0]?.groups?.find(name =>
    sites.every(site => inKind.has(site) === (site.groups?.includes(name) === true))
  )
  return group && `sites: { groups: [${JSON.stringify(group)}] }`
}

const OPEN = [
  'auth.type=open',
  'auth.owe!=required',
  '!portal.enabled',
  '!auth.enable_mac_auth',
  '!cisco_cwa.enabled',
  'enabled'
]

/** No network is open without a login; none where many sites have one, which the linter reports. */
function openTest(sites: readonly DesiredSite[], all: Subjects): StartingTest[] {
  const conditions = OPEN.map(text => parseCondition(text))
  const isOpen = (subject: Subject) =>
    conditions.every(each => 'isMet' in each && each.isMet(subject))
  const odd = sites.filter(site => all.get(site)?.some(isOpen))
  const where = OPEN.map(text => JSON.stringify(text)).join(', ')
  if (![...all.values()].some(of => of.length > 0)) return []
  return withExceptions(odd, sites.length, 'has an open network', except => [
    'no network is open without a login',
    except,
    `wlans: { where: [${where}] }`,
    'total: 0'
  ])
}

/** The facts and fields that decide the security of a network. */
const SECURITY = ['security', 'portal.enabled', 'isolation', 'vlan_enabled']

interface KindNetwork {
  readonly key: string
  readonly where: string
  readonly scope: string
}

/** Each site of a kind has the network, once, with the security of nearly all. */
function networkTest(
  { key, where, scope }: KindNetwork,
  sites: readonly DesiredSite[],
  all: Subjects
): StartingTest[] {
  const found = groupBy(
    sites.flatMap(site => (all.get(site) ?? []).filter(({ wlan }) => wlan === key)),
    ({ site }) => site
  )
  const subjects = [...found.values()].map(([first]) => first)
  const fields = SECURITY.map(name => {
    const field = fieldNamed(name)
    return [name, usual(subjects, each => JSON.stringify(valuesOf(each, field)))] as const
  }).filter(([, most]) => most.length > 1)
  const odd = sites.filter(({ name }) => {
    const [subject] = found.get(name) ?? []
    return subject === undefined || fields.some(([, most]) => !most.includes(subject))
  })
  const same = fields.map(([name]) => name).join(', ')
  return withExceptions(odd, sites.length, 'differs since its import', except => [
    `${where} has ${key}, with the same security`,
    scope,
    except,
    `wlans: { key: ${JSON.stringify(key)} }`,
    'count: 1',
    same && `same: [${same}]`
  ])
}

const MAX_ODD = 100

/** The test with the line of its exceptions, if there is any; none with too many of them. */
function withExceptions(
  odd: readonly DesiredSite[],
  sites: number,
  reason: string,
  test: (except: string) => StartingTest
): StartingTest[] {
  if (odd.length === 0) return [test('')]
  if (odd.length > MAX_ODD || !isUsual(sites - odd.length, sites)) return []
  const names = odd.map(({ name }) => JSON.stringify(name)).join(', ')
  return [test(`except: [{ sites: [${names}], reason: ${reason} }]`)]
}
