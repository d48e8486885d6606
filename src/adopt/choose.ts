import type { Entry, Node } from '../config/yaml/tree.ts'
import type { LeftField } from '../model/adoption.ts'
import { plural } from '../model/text.ts'
import type { AdoptableField } from './fields.ts'
import { type Origin, variableIn } from './origin.ts'
import type { ReferenceIndex, ReferencingWlan, WrittenWlan } from './reference-index.ts'

/** Where a wanted value is going to be written. */
export interface Choice {
  readonly want: AdoptableField
  readonly wlan: WrittenWlan
  /** The key or the variable whose value it replaces; absent where it is added to the WLAN's own block. */
  readonly place?: Entry | Node
  /** In words: `the block of hq/guest`, `variable guest_vlan of hq`, `profile guest-base`. */
  readonly layer: string
  /** Fields of other WLANs that get it, too. */
  readonly touched: readonly ReferencingWlan[]
}

/**
 * Chooses for each wanted value a place that nobody else reads: the site's variable that it comes from,
 * else the WLAN's own block, where it wins over a profile. With `shared` it is written where it is
 * declared, whoever else reads it there. What has no such place is left, and the reason told.
 */
export class Chooser {
  readonly #users: ReferenceIndex
  readonly #shared: boolean
  /** What is wanted of each field, as JSON: who wants the same is no stranger. */
  readonly #wanted: ReadonlyMap<string, string>

  constructor(wants: readonly AdoptableField[], users: ReferenceIndex, shared: boolean) {
    this.#users = users
    this.#shared = shared
    this.#wanted = new Map(wants.map(want => [nameOf(want), JSON.stringify(want.value)]))
    users.note(new Set(wants.flatMap(want => placesOf(want, users))))
  }

  choose(want: AdoptableField): Choice | LeftField {
    const wlan = this.#users.wlan(want.address)
    const origin = wlan?.origins.get(want.pointer)
    if (wlan === undefined || origin === undefined) {
      return left(want, 'it is a part of a variable or an alias; edit it by hand')
    }
    return this.#inVariable(want, wlan, origin) ?? this.#whereDeclared(want, wlan, origin)
  }

  #inVariable(want: AdoptableField, wlan: WrittenWlan, { entry }: Origin): Choice | undefined {
    const name = variableIn(entry.value)
    const place = name === undefined ? undefined : wlan.site.vars.get(name)
    if (place === undefined || this.#strangers([place], want).length > 0) return undefined
    return { want, wlan, place, layer: `variable ${name} of ${wlan.site.name}`, touched: [] }
  }

  #whereDeclared(
    want: AdoptableField,
    wlan: WrittenWlan,
    { entry, layer }: Origin
  ): Choice | LeftField {
    const { profile } = layer
    const strangers = this.#strangers(readIn(entry), want)
    const own = profile === undefined
    const rival = strangers.find(user => this.#wanted.has(nameOf(user)))
    if (this.#shared && rival !== undefined) {
      return left(
        want,
        `${rival.address} has it from the same place, and another value is live there`
      )
    }
    if (this.#shared || (own && strangers.length === 0)) {
      const name = own ? `the block of ${want.address}` : `profile ${profile}`
      return { want, wlan, place: entry, layer: name, touched: strangers }
    }
    const sharing = this.#users.wlansOf(wlan.entry.value)
    if (!own && sharing.length === 1) {
      return { want, wlan, layer: `the block of ${want.address}`, touched: [] }
    }
    const others = new Set([...strangers, ...sharing].map(({ address }) => address))
    others.delete(want.address)
    return left(want, sharedBy(others.size))
  }

  /** Those who read a place, and do not want of it what this one wants. */
  #strangers(places: readonly (Entry | Node)[], want: AdoptableField): readonly ReferencingWlan[] {
    const value = JSON.stringify(want.value)
    return places
      .flatMap(place => this.#users.of(place))
      .filter(user => this.#wanted.get(nameOf(user)) !== value)
  }
}

/** Every place that the value of a field could be written to. */
function placesOf(want: AdoptableField, users: ReferenceIndex): (Entry | Node)[] {
  const wlan = users.wlan(want.address)
  const origin = wlan?.origins.get(want.pointer)
  if (wlan === undefined || origin === undefined) return []
  const variable = wlan.site.vars.get(variableIn(origin.entry.value) ?? '')
  return [...readIn(origin.entry), ...(variable === undefined ? [] : [variable])]
}

/** An alias is read by its own key alone; what stands there itself may have aliases elsewhere. */
function readIn(entry: Entry): (Entry | Node)[] {
  return isAlias(entry) ? [entry] : [entry, entry.value]
}

/** An anchor stands before its aliases, and a value behind its key. */
export function isAlias({ offset, value }: Entry): boolean {
  return value.offset < offset
}

function sharedBy(others: number): string {
  return `${plural(others, 'other WLAN')} ${others === 1 ? 'has' : 'have'} it from the same place: write it there for all with --layer profile, or make it a variable`
}

function left({ address, pointer }: AdoptableField, reason: string): LeftField {
  return { address, pointer, reason }
}

function nameOf({ address, pointer }: ReferencingWlan): string {
  return `${address} ${pointer}`
}
