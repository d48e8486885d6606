import { finding } from '../model/finding.ts'
import { nameProblem } from '../model/names.ts'
import type { Budget } from './budget.ts'
import { checkName, expectMap, expectText } from './checks/expect.ts'
import type { Findings } from './checks/findings.ts'
import type { SiteDeclaration } from './documents.ts'
import { at, atKey } from './files/source.ts'
import { type Entry, type MapNode, type Node, sameNode } from './yaml/tree.ts'

/** A site with all that the files say of it together. */
export interface FleetSite {
  readonly id: string
  readonly name: string
  readonly owner: string | undefined
  readonly vars: ReadonlyMap<string, Node>
  /** By the key of the WLAN. Ask for it once: it may have to be read again. */
  readonly wlans: ReadonlyMap<string, Entry>
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
    return new LazySite({ id: this.id, name, owner: this.#told.get('owner')?.text, vars }, wlans)
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

/** A class, as each object with a getter of its own would be a kind of its own to V8. */
class LazySite implements FleetSite {
  readonly id: string
  readonly name: string
  readonly owner: string | undefined
  readonly vars: ReadonlyMap<string, Node>
  readonly #wlans: () => ReadonlyMap<string, Entry>

  constructor(
    { id, name, owner, vars }: Omit<FleetSite, 'wlans'>,
    wlans: () => ReadonlyMap<string, Entry>
  ) {
    this.id = id
    this.name = name
    this.owner = owner
    this.vars = vars
    this.#wlans = wlans
  }

  get wlans(): ReadonlyMap<string, Entry> {
    return this.#wlans()
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
