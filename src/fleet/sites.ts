import { finding } from '../core/model/finding.ts'
import { byCodeUnit } from '../core/values/collections.ts'
import { quote } from '../core/values/text.ts'
import { isUuid } from '../core/values/uuid.ts'
import { isBlockName, type SiteDeclaration, withoutId } from './documents.ts'
import {
  checkInstructions,
  checkKeys,
  expectMap,
  expectText,
  isFit,
  itemsIn,
  namedMembers
} from './expect.ts'
import { at, atKey } from './files/source.ts'
import type { Findings } from './findings.ts'
import type { Groups, Variables } from './groups.ts'
import { NODES_OF_ENTRY } from './limits.ts'
import type { Usage } from './usage.ts'
import { type Entry, type MapNode, memberNode, type Node, sameNode, textOf } from './yaml/tree.ts'

const KEYS = ['id', 'name', 'groups', 'vars', 'wlans']

/** Joins the declarations of each site, sorted by name. Reports contradictions and duplicate keys of WLANs. */
export function joinSites(
  declarations: readonly SiteDeclaration[],
  groups: Groups,
  usage: Usage,
  findings: Findings
): FleetSite[] {
  const byId = new Map<string, [SiteDeclaration, ...SiteDeclaration[]]>()
  const joining = { groups, usage, findings }
  const withoutId: SiteDeclaration[] = []
  for (const declaration of declarations) {
    if (findings.full) break
    usage.add('sites')
    const { map } = declaration
    checkKeys(map, KEYS, findings)
    const id = idOf(map, findings)
    const known = id === undefined ? undefined : byId.get(id.toLowerCase())
    if (id === undefined) withoutId.push(declaration)
    else if (known === undefined) byId.set(id.toLowerCase(), [declaration])
    else if (!isDuplicate(map, known, id, findings)) known.push(declaration)
  }
  const sites = [...byId.values()].flatMap(all => joinedSite(all, joining) ?? [])
  sites.sort((a, b) => byCodeUnit(a.name, b.name))
  checkNames(sites, findings)
  // WLANs of a site without a valid id are checked, too; the run ends with an error anyway.
  return [...sites, ...withoutId.flatMap(each => joinedSite([each], joining) ?? [])]
}

/** True, with a finding, if the file of a declaration has declared the same site before. */
function isDuplicate(
  map: MapNode,
  known: readonly SiteDeclaration[],
  id: string,
  findings: Findings
): boolean {
  const before = known.find(each => each.map.source === map.source)
  if (before === undefined) return false
  const { line } = map.source.place(before.map.offset)
  const value = map.entries.get('id')?.value ?? map
  findings.push(finding('SITE_ID_TWICE', at(value), id, line))
  return true
}

function idOf(map: MapNode, findings: Findings): string | undefined {
  const value = memberNode(map, 'id')
  const id = textOf(value)
  if (isUuid(id)) return id
  findings.push(value === undefined ? withoutId(map) : finding('ID_NOT_UUID', at(value)))
  return undefined
}

/** Reports sites with the same name, because their WLANs would have the same addresses. */
function checkNames(sites: readonly FleetSite[], findings: Findings): void {
  for (const [index, site] of sites.entries()) {
    const before = sites[index - 1]
    if (before?.name !== site.name) continue
    findings.push(finding('SITE_NAME_TAKEN', at(site.declaredBy), site.name, before.id))
  }
}

export interface FleetSite {
  readonly id: string
  readonly name: string
  /** The names of its groups in ascending precedence; sites with the same groups share the list. */
  readonly groups: readonly string[]
  /** The variables of its groups, overridden by those of the site. */
  readonly vars: Variables
  readonly ownVars: Variables
  readonly wlans: ReadonlyMap<string, Entry>
  readonly overrides: ReadonlyMap<string, MapNode>
  /** Its name, or its declaration where that has none. */
  readonly declaredBy: Node
  readonly hasOwnFile: boolean
}

const NO_OVERRIDES: ReadonlyMap<string, MapNode> = new Map()

interface Joining {
  readonly groups: Groups
  readonly usage: Usage
  readonly findings: Findings
}

function joinedSite(
  declarations: readonly [SiteDeclaration, ...SiteDeclaration[]],
  joining: Joining
): FleetSite | undefined {
  const { groups, usage, findings } = joining
  usage.time.check()
  const [{ map, defaultName }, ...others] = declarations
  const declaredName = nameIn(declarations, findings)
  const ownVars = varsIn(declarations, findings)
  const groupNodes = declarations.flatMap(each => itemsIn(memberNode(each.map, 'groups'), findings))
  const inSites = declarations.map(each => blocksInSite(each, findings))
  const overrides = new Map(inSites.flatMap(each => each.overrides))
  const defaults = new Set(declarations.flatMap(each => each.defaultName ?? []))
  const declaredBy = declaredName ?? map
  const name = nameOf(declaredName, defaults, map, findings)
  const wlans = declarations
    .map(each => each.wlans)
    .concat(inSites.map(each => each.own))
    .reduce((all, more) => join(all, more, usage, findings))
  if (name === undefined) return undefined
  const of = groups.of(groupNodes)
  const vars = groups.over(of.vars, ownVars)
  usage.add('nodes', vars.size * NODES_OF_ENTRY)
  return {
    id: textOf(memberNode(map, 'id')) ?? '',
    name,
    groups: of.names,
    vars,
    ownVars,
    wlans,
    overrides: overrides.size === 0 ? NO_OVERRIDES : overrides,
    declaredBy,
    hasOwnFile: others.length === 0 && defaultName !== undefined
  }
}

function nameIn(declarations: readonly SiteDeclaration[], findings: Findings): Node | undefined {
  let declared: Node | undefined
  for (const { map } of declarations) {
    const node = memberNode(map, 'name')
    if (node === undefined || expectText(node, findings) === undefined) continue
    declared ??= node
    if (textOf(declared) !== textOf(node)) {
      findings.push(finding('SITE_CONTRADICTS', at(node), 'name', declared.source.file))
    }
  }
  return declared
}

function nameOf(
  declared: Node | undefined,
  defaults: ReadonlySet<string>,
  map: MapNode,
  findings: Findings
): string | undefined {
  const [byDefault, ...others] = defaults
  const name = textOf(declared) ?? (others.length === 0 ? byDefault : undefined)
  if (name === undefined) {
    const suggested = [...defaults].map(each => quote(each)).join(', ')
    const fix = suggested === '' ? 'add a `name`' : `add a \`name\`: its files suggest ${suggested}`
    if (!map.entries.has('name')) {
      findings.push(finding('KEY_MISSING', at(map), 'site', 'name', fix))
    }
    return undefined
  }
  return isFit(name, () => at(declared ?? map), findings) ? name : undefined
}

function varsIn(declarations: readonly SiteDeclaration[], findings: Findings): Map<string, Node> {
  const vars = new Map<string, Node>()
  for (const { map } of declarations) {
    const declared = memberNode(map, 'vars')
    for (const [name, entry] of declared ? namedMembers(declared, findings) : []) {
      const first = vars.get(name)
      if (first === undefined) vars.set(name, entry.value)
      else if (!sameNode(first, entry.value)) {
        const what = `variable ${name}`
        findings.push(finding('SITE_CONTRADICTS', atKey(entry), what, first.source.file))
      }
    }
  }
  return vars
}

/** The blocks in the declaration of a site: overrides of WLANs of its file, and WLANs of its own, which have an SSID. */
function blocksInSite({ map, wlans }: SiteDeclaration, findings: Findings) {
  const declared = memberNode(map, 'wlans')
  const overrides: [key: string, override: MapNode][] = []
  const own = new Map<string, Entry>()
  for (const [key, entry] of (declared && expectMap(declared, findings))?.entries ?? []) {
    const block = expectMap(entry.value, findings)
    if (block === undefined) continue
    if (wlans.has(key)) {
      checkInstructions(block, 'the override of a site', findings)
      overrides.push([key, block])
    } else if (block.entries.has('ssid')) {
      if (isBlockName(key, entry, findings)) own.set(key, entry)
    } else {
      const near = findings.near(key, wlans)
      findings.push(finding('OVERRIDE_UNKNOWN', atKey(entry), key, near))
    }
  }
  return { overrides, own }
}

function join(
  wlans: ReadonlyMap<string, Entry>,
  more: ReadonlyMap<string, Entry>,
  usage: Usage,
  findings: Findings
): ReadonlyMap<string, Entry> {
  if (wlans.size === 0) return more
  if (more.size === 0 || findings.full) return wlans
  usage.add('nodes', (wlans.size + more.size) * NODES_OF_ENTRY)
  const all = new Map(wlans)
  for (const [key, block] of more) {
    const first = all.get(key)
    if (first === undefined) all.set(key, block)
    else findings.push(finding('WLAN_KEY_TWICE', atKey(block), key, first.value.source.file))
    if (findings.full) break
  }
  return all
}
