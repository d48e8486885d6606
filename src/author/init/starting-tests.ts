import type { DesiredSite } from '../../core/model/desired.ts'
import { parseCondition } from '../../core/query/condition.ts'
import { fieldNamed, type Subject, valuesOf } from '../../core/query/field.ts'
import { groupBy } from '../../core/values/collections.ts'
import type { StarterFile } from './files.ts'

/** Tests that a fleet passes, in a file; none for a fleet without networks. */
export function startingTests(sites: readonly DesiredSite[]): StarterFile[] {
  const all = sites.map(subjectsOf)
  const total = all.flat().length
  if (total === 0) return []
  const groups = sites.flatMap(site => site.groups ?? [])
  const [largest] = mostFirst(groupBy(groups, name => name))
  const isCovered = (site: DesiredSite) => !largest || site.groups?.includes(largest)
  const covered = sites.filter(isCovered).map(subjectsOf)
  const where = largest === undefined ? '' : ` of the group ${largest}`
  const scope = largest === undefined ? [] : [`sites: { groups: [${JSON.stringify(largest)}] }`]
  const open = parseCondition('auth.type=open')
  const openCounts = all.map(of => ('isMet' in open ? of.filter(open.isMet).length : 0))
  const tests = [
    [
      `each site${where} has its networks`,
      ...scope,
      `count: ${rangeOf(covered.map(({ length }) => length))}`
    ],
    ['no other network is open', 'wlans: { where: [auth.type=open] }', openTest(openCounts)],
    alikeTest(covered.flat(), where, scope) ?? ['no network is missing', `total: ${total}`]
  ]
  const text = tests.map(
    ([name, ...lines]) =>
      `  - name: ${JSON.stringify(name)}\n${lines.map(line => `    ${line}\n`).join('')}`
  )
  return [{ path: 'tests.yaml', text: `${HEAD}tests:\n${text.join('\n')}` }]
}

const HEAD =
  '# What must stay true of these networks: `wlanctl test` runs it, and so does the plan of each pull request.\n'

function subjectsOf({ name, groups, wlans }: DesiredSite): Subject[] {
  return wlans
    .filter(({ managed }) => managed !== false)
    .map(({ key, fields }) => ({ site: name, wlan: key, groups, fields }))
}

function mostFirst(groups: ReadonlyMap<string, readonly unknown[]>): readonly string[] {
  return [...groups].sort(([, a], [, b]) => b.length - a.length).map(([name]) => name)
}

function rangeOf(counts: readonly number[]): string {
  const least = counts.reduce((a, b) => Math.min(a, b))
  const most = counts.reduce((a, b) => Math.max(a, b))
  if (least === most) return String(most)
  return least === 0 ? `{ max: ${most} }` : `{ min: ${least}, max: ${most} }`
}

/** A number for each site, if all have the same, so that the test holds for a new site, too. */
function openTest(counts: readonly number[]): string {
  const isSame = new Set(counts).size === 1
  return isSame ? `count: ${counts[0]}` : `total: ${counts.reduce((sum, each) => sum + each)}`
}

/** The fields that decide the security of a network. */
const SECURITY = ['auth.type', 'auth.pairwise', 'isolation', 'portal.enabled', 'vlan_enabled']

/** The network with the most sites has the same security at all of them; undefined without such a network. */
function alikeTest(wlans: readonly Subject[], where: string, scope: readonly string[]) {
  const byKey = groupBy(wlans, ({ wlan = '' }) => wlan)
  const [key = ''] = mostFirst(byKey)
  const alike = byKey.get(key) ?? []
  const fields = SECURITY.filter(name => {
    const field = fieldNamed(name)
    return new Set(alike.map(subject => JSON.stringify(valuesOf(subject, field)))).size === 1
  })
  if (alike.length < 2 || fields.length === 0) return undefined
  const selected = `wlans: { key: ${JSON.stringify(key)} }`
  return [
    `${key} is as secure at each site${where}`,
    ...scope,
    selected,
    `same: [${fields.join(', ')}]`
  ]
}
