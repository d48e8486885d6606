import { byCodeUnit } from '../model/collections.ts'
import { finding } from '../model/finding.ts'
import { isUuid, nameProblem } from '../model/names.ts'
import type { SiteDeclaration } from './documents.ts'
import { checkKeys, checkName, expectMap, expectText } from './expect.ts'
import { at, atKey } from './files/source.ts'
import type { Findings } from './findings.ts'
import type { Budget } from './limits.ts'
import { type Entry, type MapNode, type Node, sameNode } from './yaml/tree.ts'

/**
 * Joins what several files declare of the same site: names, owners and variables must not
 * contradict each other, a WLAN's key occurs once. Sorted by name.
 */
export function joinSites(
  declarations: readonly SiteDeclaration[],
  budget: Budget,
  findings: Findings
): FleetSite[] {
  const drafts = new Map<string, SiteBuilder>()
  for (const declaration of declarations) {
    checkKeys(declaration.map, ['id', 'name', 'vars', 'owner'], findings)
    const id = idOf(declaration.map, findings)
    if (id === undefined) continue
    const draft = drafts.get(id.toLowerCase()) ?? new SiteBuilder(id, declaration.map, budget)
    drafts.set(id.toLowerCase(), draft)
    draft.add(declaration, findings)
  }
  const sites = [...drafts.values()].flatMap(draft => draft.site(findings) ?? [])
  sites.sort((a, b) => byCodeUnit(a.name, b.name))
  checkNames(sites, drafts, findings)
  return sites
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

/** Two sites of one name would give two WLANs one address. */
function checkNames(
  sites: readonly FleetSite[],
  drafts: ReadonlyMap<string, SiteBuilder>,
  findings: Findings
): void {
  for (const [index, site] of sites.entries()) {
    const before = sites[index - 1]
    const draft = drafts.get(site.id.toLowerCase())
    if (before?.name !== site.name || draft === undefined) continue
    findings.push(finding('SITE_NAME_TAKEN', draft.place, site.name, before.id))
  }
}

/** A site with all that the files say of it together. */
export interface FleetSite {
  readonly id: string
  readonly name: string
  readonly owner: string | undefined
  readonly vars: ReadonlyMap<string, Node>
  /** The blocks by the key of the WLAN. Each call may parse a file again. */
  readonly wlans: () => ReadonlyMap<string, Entry>
}

/** A site while its declarations are joined. */
export class SiteBuilder {
  readonly id: string
  readonly map: MapNode
  readonly #budget: Budget
  readonly #told = new Map<string, { readonly text: string; readonly entry: Entry }>()
  readonly #defaultNames = new Set<string>()
  readonly #vars = new Map<string, Entry>()
  readonly #wlans: (() => ReadonlyMap<string, Entry>)[] = []

  constructor(id: string, map: MapNode, budget: Budget) {
    this.id = id
    this.map = map
    this.#budget = budget
  }

  add({ map, defaultName, wlans }: SiteDeclaration, findings: Findings): void {
    this.#tell('name', map, findings)
    this.#tell('owner', map, findings)
    if (defaultName !== undefined) this.#defaultNames.add(defaultName)
    this.#addVars(map.entries.get('vars'), findings)
    this.#wlans.push(wlans)
  }

  /** The site; undefined if it has no name, or no fit one. */
  site(findings: Findings): FleetSite | undefined {
    const name = this.#name(findings)
    if (name === undefined) return undefined
    const vars = new Map([...this.#vars].map(([variable, entry]) => [variable, entry.value]))
    const wlans = joined(this.#wlans, this.#budget, findings)
    return { id: this.id, name, owner: this.#told.get('owner')?.text, vars, wlans }
  }

  /** Where the site is given its name, or else begins. */
  get place() {
    const told = this.#told.get('name')
    return told === undefined ? at(this.map) : at(told.entry.value)
  }

  #name(findings: Findings): string | undefined {
    const [first, ...others] = this.#defaultNames
    const name = this.#told.get('name')?.text ?? first
    if (name === undefined || (others.length > 0 && !this.#told.has('name'))) {
      const given = this.map.entries.has('name')
      if (!given) findings.push(finding('SITE_NAME_MISSING', at(this.map), [...this.#defaultNames]))
      return undefined
    }
    const problem = nameProblem(name)
    if (problem !== undefined) findings.push(finding('NAME_UNFIT', this.place, name, problem))
    return problem === undefined ? name : undefined
  }

  #tell(key: 'name' | 'owner', map: MapNode, findings: Findings): void {
    const entry = map.entries.get(key)
    const text = entry && expectText(entry.value, findings)
    if (entry === undefined || text === undefined) return
    const told = this.#told.get(key)
    if (told === undefined) this.#told.set(key, { text, entry })
    else if (told.text !== text) {
      findings.push(finding('SITE_CONTRADICTS', at(entry.value), key, fileOf(told.entry)))
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
}

/** The map of a file is shared by its sites, and copied only where several files join. */
function joined(
  declared: readonly (() => ReadonlyMap<string, Entry>)[],
  budget: Budget,
  findings: Findings
): () => ReadonlyMap<string, Entry> {
  const [first = () => new Map<string, Entry>(), ...others] = declared
  if (others.length === 0) return first
  return () => others.reduce((wlans, more) => join(wlans, more(), budget, findings), first())
}

function join(
  wlans: ReadonlyMap<string, Entry>,
  more: ReadonlyMap<string, Entry>,
  budget: Budget,
  findings: Findings
): ReadonlyMap<string, Entry> {
  if (wlans.size === 0) return more
  if (more.size === 0 || !budget.spend(wlans.size + more.size)) return wlans
  const all = new Map(wlans)
  for (const [key, block] of more) {
    const first = all.get(key)
    if (first === undefined) all.set(key, block)
    else findings.push(finding('WLAN_KEY_TWICE', atKey(block), key, fileOf(first)))
  }
  return all
}

function fileOf(entry: Entry): string {
  return entry.value.source.file
}
