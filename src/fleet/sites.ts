import { finding } from '../core/model/finding.ts'
import { append, byCodeUnit } from '../core/values/collections.ts'
import { hasOuterBlank, nameProblem } from '../core/values/ssid.ts'
import { isUuid } from '../core/values/uuid.ts'
import type { SiteDeclaration } from './documents.ts'
import { checkKeys, checkName, expectList, expectMap, expectText, Suggestions } from './expect.ts'
import { at, atKey } from './files/source.ts'
import type { Findings } from './findings.ts'
import type { Groups, Variables } from './groups.ts'
import { type Budget, cost } from './limits.ts'
import { type Entry, type MapNode, type Node, type SourceFile, sameNode } from './yaml/tree.ts'

const KEYS = ['id', 'name', 'groups', 'vars', 'wlans']

const OVERRIDE_KEYS = ['$match', '$protect', '$managed', '$unset']

/** Joins the declarations of each site, sorted by name. Reports contradictions and duplicate keys of WLANs. */
export function joinSites(
  declarations: readonly SiteDeclaration[],
  groups: Groups,
  budget: Budget,
  findings: Findings
): FleetSite[] {
  const builders = new Map<string, SiteBuilder>()
  const shared = { groups, budget, suggestions: new Suggestions() }
  const withoutId: SiteBuilder[] = []
  for (const declaration of declarations) {
    if (findings.full || !budget.spend(cost.site)) break
    checkKeys(declaration.map, KEYS, findings)
    const id = idOf(declaration.map, findings)
    if (id === undefined) {
      const builder = new SiteBuilder('', declaration.map, shared)
      builder.add(declaration, findings)
      withoutId.push(builder)
      continue
    }
    const known = builders.get(id.toLowerCase())
    if (known !== undefined && isDuplicate(declaration.map, known, id, findings)) continue
    const builder = known ?? new SiteBuilder(id, declaration.map, shared)
    builders.set(id.toLowerCase(), builder)
    builder.add(declaration, findings)
  }
  const sites = [...builders.values()].flatMap(builder => builder.site(findings) ?? [])
  sites.sort((a, b) => byCodeUnit(a.name, b.name))
  checkNames(sites, findings)
  // WLANs of a site without a valid id are checked, too; the run ends with an error anyway.
  return [...sites, ...withoutId.flatMap(builder => builder.site(findings) ?? [])]
}

/** True, with a finding, if the file of a declaration has declared the same site before. */
function isDuplicate(map: MapNode, builder: SiteBuilder, id: string, findings: Findings): boolean {
  const offset = builder.declaredIn(map.source)
  if (offset === undefined) return false
  const { line } = map.source.place(offset)
  const value = map.entries.get('id')?.value ?? map
  findings.push(finding('SITE_ID_TWICE', at(value), id, line))
  return true
}

function idOf(map: MapNode, findings: Findings): string | undefined {
  const entry = map.entries.get('id')
  if (entry === undefined) {
    findings.push(finding('SITE_ID_MISSING', at(map)))
    return undefined
  }
  const { value } = entry
  if (value.kind === 'scalar' && isUuid(value.value)) return value.value
  findings.push(finding('ID_NOT_UUID', at(value)))
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

/** A site with its joined declarations. */
export interface FleetSite {
  readonly id: string
  readonly name: string
  /** The names of its groups in ascending precedence; sites with the same groups share the list. */
  readonly groups: readonly string[]
  /** The variables of its groups, overridden by those of the site. */
  readonly vars: Variables
  /** The variables of the site itself, without those of its groups. */
  readonly ownVars: Variables
  /** The blocks by the key of the WLAN. */
  readonly wlans: ReadonlyMap<string, Entry>
  /** The overrides of the site by the key of the WLAN. */
  readonly overrides: ReadonlyMap<string, MapNode>
  /** Its name, or its declaration where that has none. */
  readonly declaredBy: Node
  /** True if one file declares it, and no other site. */
  readonly hasOwnFile: boolean
}

const NO_OVERRIDES: ReadonlyMap<string, MapNode> = new Map()

interface Shared {
  readonly groups: Groups
  readonly budget: Budget
  readonly suggestions: Suggestions
}

/** A site while its declarations are joined. */
export class SiteBuilder {
  readonly id: string
  readonly map: MapNode
  readonly #shared: Shared
  #declaredName: { readonly text: string; readonly entry: Entry } | undefined
  readonly #defaultNames = new Set<string>()
  readonly #vars = new Map<string, Entry>()
  readonly #groups: Node[] = []
  readonly #wlans: ReadonlyMap<string, Entry>[] = []
  #overrides: Map<string, MapNode> | undefined
  /** The offsets of the declarations after the first one, by file. */
  #others: Map<SourceFile, number> | undefined

  constructor(id: string, map: MapNode, shared: Shared) {
    this.id = id
    this.map = map
    this.#shared = shared
  }

  add({ map, defaultName, wlans }: SiteDeclaration, findings: Findings): void {
    if (map !== this.map) {
      this.#others ??= new Map()
      this.#others.set(map.source, map.offset)
    }
    this.#declareName(map, findings)
    if (defaultName !== undefined) this.#defaultNames.add(defaultName)
    this.#addVars(map.entries.get('vars'), findings)
    this.#wlans.push(wlans)
    const groups = map.entries.get('groups')
    if (groups !== undefined) {
      append(this.#groups, expectList(groups.value, findings)?.items ?? [])
    }
    this.#addOverrides(map.entries.get('wlans'), wlans, findings)
  }

  /** The offset at which a file declares the site; undefined if it does not. */
  declaredIn(source: SourceFile): number | undefined {
    return source === this.map.source ? this.map.offset : this.#others?.get(source)
  }

  /** The site; undefined if its name is missing or invalid. */
  site(findings: Findings): FleetSite | undefined {
    const name = this.#name(findings)
    if (name === undefined) return undefined
    const { groups, budget } = this.#shared
    const ownVars = new Map([...this.#vars].map(([variable, entry]) => [variable, entry.value]))
    const of = groups.of(this.#groups)
    return {
      id: this.id,
      name,
      groups: of.names,
      vars: groups.over(of.vars, ownVars),
      ownVars,
      wlans: joined(this.#wlans, budget, findings),
      overrides: this.#overrides ?? NO_OVERRIDES,
      declaredBy: this.node,
      hasOwnFile: this.#others === undefined && this.#defaultNames.size > 0
    }
  }

  /** The name of the site, or its first declaration. */
  get node(): Node {
    return this.#declaredName?.entry.value ?? this.map
  }

  #name(findings: Findings): string | undefined {
    const [first, ...others] = this.#defaultNames
    const name = this.#declaredName?.text ?? first
    if (name === undefined || (others.length > 0 && this.#declaredName === undefined)) {
      const given = this.map.entries.has('name')
      if (!given) findings.push(finding('SITE_NAME_MISSING', at(this.map), [...this.#defaultNames]))
      return undefined
    }
    const problem = nameProblem(name)
    if (problem !== undefined) findings.push(finding('NAME_UNFIT', at(this.node), name, problem))
    else if (hasOuterBlank(name)) findings.push(finding('NAME_BLANK', at(this.node), name))
    return problem === undefined ? name : undefined
  }

  #declareName(map: MapNode, findings: Findings): void {
    const entry = map.entries.get('name')
    const text = entry && expectText(entry.value, findings)
    if (entry === undefined || text === undefined) return
    const declared = this.#declaredName
    if (declared === undefined) this.#declaredName = { text, entry }
    else if (declared.text !== text) {
      findings.push(finding('SITE_CONTRADICTS', at(entry.value), 'name', fileOf(declared.entry)))
    }
  }

  #addVars(declared: Entry | undefined, findings: Findings): void {
    const vars = declared && expectMap(declared.value, findings)
    for (const [name, entry] of vars?.entries ?? []) {
      if (!checkName(name, entry, findings)) continue
      const first = this.#vars.get(name)
      if (first === undefined) this.#vars.set(name, entry)
      else if (!sameNode(first.value, entry.value)) {
        const where = atKey(entry)
        findings.push(finding('SITE_CONTRADICTS', where, `variable ${name}`, fileOf(first)))
      }
    }
  }

  /** `wlans`: the blocks in the file of this declaration. */
  #addOverrides(
    declared: Entry | undefined,
    wlans: ReadonlyMap<string, Entry>,
    findings: Findings
  ): void {
    const overrides = declared && expectMap(declared.value, findings)
    for (const [key, entry] of overrides?.entries ?? []) {
      const override = expectMap(entry.value, findings)
      if (override === undefined) continue
      if (!wlans.has(key)) {
        const near = this.#shared.suggestions.nearKey(key, wlans)
        findings.push(finding('OVERRIDE_UNKNOWN', atKey(entry), key, near))
        continue
      }
      checkOverride(override, findings)
      this.#overrides ??= new Map()
      this.#overrides.set(key, override)
    }
  }
}

/** Reports instructions that no override takes. */
function checkOverride({ entries }: MapNode, findings: Findings): void {
  for (const [name, entry] of entries) {
    if (!name.startsWith('$') || OVERRIDE_KEYS.includes(name)) continue
    findings.push(finding('OVERRIDE_KEY', atKey(entry), name, OVERRIDE_KEYS))
  }
}

/** Joins maps of several files. The map of a single file is not copied, because its sites share it. */
function joined(
  declared: readonly ReadonlyMap<string, Entry>[],
  budget: Budget,
  findings: Findings
): ReadonlyMap<string, Entry> {
  const [first = new Map<string, Entry>(), ...others] = declared
  return others.reduce((wlans, more) => join(wlans, more, budget, findings), first)
}

function join(
  wlans: ReadonlyMap<string, Entry>,
  more: ReadonlyMap<string, Entry>,
  budget: Budget,
  findings: Findings
): ReadonlyMap<string, Entry> {
  if (wlans.size === 0) return more
  if (more.size === 0 || findings.full || !budget.spend(wlans.size + more.size)) return wlans
  const all = new Map(wlans)
  for (const [key, block] of more) {
    const first = all.get(key)
    if (first === undefined) all.set(key, block)
    else findings.push(finding('WLAN_KEY_TWICE', atKey(block), key, fileOf(first)))
    if (findings.full) break
  }
  return all
}

function fileOf(entry: Entry): string {
  return entry.value.source.file
}
