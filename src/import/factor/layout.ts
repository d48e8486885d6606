import { byCodeUnit } from '../../model/collections.ts'
import type { Pointer } from '../../model/pointer.ts'
import type { Value, ValueObject } from '../../model/value.ts'
import type { File } from '../file.ts'
import { slug, UniqueNames } from '../names.ts'
import type { Pause } from '../plain.ts'
import type { RequestedSite } from '../request.ts'
import type { References } from '../secrets.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import { type Assigned, isRegular, varsOf } from './assign.ts'
import { groups } from './families.ts'
import type { Kind } from './kinds.ts'
import { identity, withLeaves } from './leaves.ts'
import { type DeclaredSite, ownText, profilesText, sitesText } from './text.ts'
import type { Uses, VariableUse } from './variables.ts'

/** A site, and what of its WLANs comes from profiles. */
export interface Placed {
  readonly imported: ImportedSite
  readonly requested: RequestedSite
  readonly assigned: readonly Assigned[]
  /** WLANs that extend nothing. */
  readonly own: readonly ImportedWlan[]
}

/**
 * The files of a factored fleet.
 *
 * | file              | holds                                                                       |
 * |-------------------|-----------------------------------------------------------------------------|
 * | `profiles.yaml`   | what WLANs have in common                                                    |
 * | `corp-guest.yaml` | the sites that have these WLANs as their profiles are, with their variables |
 * | `store-0017.yaml` | a site that has other ones; or beside such a list, WLANs that it alone has  |
 */
export class Layout {
  readonly #references: References
  readonly #uses: Uses
  readonly #names: UniqueNames

  constructor(references: References, uses: Uses, names: UniqueNames) {
    this.#references = references
    this.#uses = uses
    this.#names = names
  }

  async files(kinds: readonly Kind[], placed: readonly Placed[], pause: Pause): Promise<File[]> {
    const regular = placed.filter(({ assigned }) => assigned.length > 0 && isRegular(assigned))
    const listed = [...groups(regular, ({ assigned }) => profilesIn(assigned).join('\n')).values()]
      .filter(({ length }) => length > 1)
      .sort((a, b) => byCodeUnit(listName(a), listName(b)))
    const isListed = new Set(listed.flat())
    const files = [this.#profiles(kinds)]
    for (const sites of listed) {
      await pause()
      files.push(this.#list(sites))
    }
    for (const site of placed) {
      await pause()
      files.push(...this.#own(site, isListed.has(site)))
    }
    return files
  }

  #profiles(kinds: readonly Kind[]): File {
    const blocks = kinds.map(kind => [kind.name, this.#profile(kind)] as const)
    const file = `${this.#names.take('profiles')}.yaml`
    return { file, text: profilesText(blocks), wlans: 0, profiles: kinds.length }
  }

  #profile(kind: Kind): ValueObject {
    const uses = this.#uses.get(kind)
    const of = { slug: kind.name, key: '', address: `profiles.${kind.name}` }
    const referred = new Map<unknown, Value>()
    return withLeaves(kind.model, (_, at) => {
      const use = uses?.get(at)
      if (use !== undefined) return reference(use)
      // The secret of several servers is one, as are their variables where it varies.
      const value = kind.shared.get(at) ?? null
      const made = referred.get(identity(value)) ?? this.#references.in(value, at, of)
      referred.set(identity(value), made)
      return made
    })
  }

  #list(sites: readonly Placed[]): File {
    const [first] = sites
    const wlans = (first?.assigned ?? []).map(each => this.#extending(each, first))
    return {
      file: `${this.#names.take(listName(sites))}.yaml`,
      text: sitesText(
        wlans,
        sites.map(site => this.#site(site))
      ),
      wlans: sites.length * wlans.length
    }
  }

  /** The file of a site that has WLANs of its own; beside a list, of these alone. */
  #own(placed: Placed, isListed: boolean): File[] {
    const { requested, imported } = placed
    const extending = isListed ? [] : placed.assigned
    if (isListed && placed.own.length === 0) return []
    const { id, name } = imported.site
    const site = isListed ? { id, name, vars: {} } : this.#site(placed)
    const keys = new UniqueNames('-')
    for (const { kind } of placed.assigned) keys.take(kind.family.key)
    const wlans = [
      ...extending.map(each => this.#extending(each, placed)),
      ...placed.own.map(wlan => this.#plain({ ...wlan, key: keys.take(wlan.key) }, placed))
    ]
    wlans.sort(([a], [b]) => byCodeUnit(a, b))
    return [{ file: `${requested.slug}.yaml`, text: ownText(site, wlans), wlans: wlans.length }]
  }

  #extending({ kind, over }: Assigned, site: Placed | undefined): readonly [string, ValueObject] {
    const { key } = kind.family
    const laid = site === undefined ? over : this.#referred(over, '', key, site)
    return [key, { $extends: kind.name, ...(laid as ValueObject) }]
  }

  #plain({ key, id, fields }: ImportedWlan, site: Placed): readonly [string, ValueObject] {
    return [key, { id, ...(this.#referred(fields, '', key, site) as ValueObject) }]
  }

  #site(placed: Placed): DeclaredSite {
    const vars = [...varsOf(placed.assigned)].map(([{ name, kind, at }, value]) => {
      return [name, this.#referred(value, at, kind.family.key, placed)] as const
    })
    vars.sort(([a], [b]) => byCodeUnit(a, b))
    const { id, name } = placed.imported.site
    return { id, name, vars: Object.fromEntries(vars) }
  }

  #referred(value: Value, at: Pointer, key: string, { requested, imported }: Placed): Value {
    const address = `${imported.site.name}/${key}`
    return this.#references.in(value, at, { slug: requested.slug, key, address })
  }
}

/** `{ $var: name }`, or a `$format` with it. */
function reference({ variable: { name }, format }: VariableUse): ValueObject {
  if (format === undefined) return { $var: name }
  return { $format: `${format.prefix}{${name}}${format.suffix}` }
}

/** More profiles than these do not make the name of a file. */
const NAMED = 3

function listName([first]: readonly Placed[]): string {
  const names = profilesIn(first?.assigned ?? [])
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return slug(`${names.slice(0, NAMED).join(' ')}${more}`)
}

function profilesIn(assigned: readonly Assigned[]): string[] {
  return assigned.map(({ kind }) => kind.name).sort(byCodeUnit)
}
