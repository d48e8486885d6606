import { escapeInside } from '../escape.ts'
import { splitAddress } from '../fields/change-key.ts'
import type { ChangeGroup, NetworkRow, Overview, SiteRow } from '../overview/overview.ts'
import { stateRank } from '../overview/states.ts'
import type { Source } from './blocks.ts'
import { html, type Part } from './markup.ts'

export interface Context {
  readonly overview: Overview
  readonly targets: Targets
  readonly source: Source
}

/** The sites, networks and groups of changes of a page, to which its links lead. */
export class Targets {
  readonly #ids = new Map<string | ChangeGroup, string>()
  readonly #rules = new Map<string, Set<string>>()

  constructor({ sites, findings, changes }: Overview) {
    for (const [at, group] of changes.entries()) this.#ids.set(group, `change-${at + 1}`)
    for (const site of sites) {
      const { name, networks } = site
      this.#ids.set(name, targetId(name, alikeNetwork(site)?.key))
      for (const { address, key } of networks) this.#ids.set(address, targetId(name, key))
    }
    for (const { addresses, code } of findings) {
      for (const address of addresses) {
        const rules = this.#rules.get(address) ?? new Set()
        this.#rules.set(address, rules.add(ruleOf(code)))
      }
    }
  }

  /** A site or a network with a link to its details, or to those of its site; without any, a text. */
  link(address: string, text: Part = address): Part {
    const id = this.#ids.get(address) ?? this.#ids.get(splitAddress(address).site)
    return id === undefined ? text : html`<a href="#${id}">${text}</a>`
  }

  idOf(target: string | ChangeGroup): string | undefined {
    return this.#ids.get(target)
  }

  rulesOf(address: string): readonly string[] {
    return [...(this.#rules.get(address) ?? [])]
  }
}

export type AlikeRow = NetworkRow & { readonly change: ChangeGroup }

/** From so many networks with the same change on, their sites do not repeat it. */
const MIN_ALIKE = 100

export function isOfMany(change: ChangeGroup | undefined): boolean {
  return change !== undefined && change.networks.length >= MIN_ALIKE
}

/** The only network to show of a site, if many others change in the same way, and none of them is in danger. */
export function alikeNetwork({ networks, reason }: SiteRow): AlikeRow | undefined {
  const [row, ...others] = networks
  if (row === undefined || others.length > 0 || reason !== undefined) return undefined
  const { change, state, timeline = [] } = row
  const isHarmless = stateRank(state) >= stateRank('differs') && change?.left === undefined
  const isAlike = isOfMany(change) && timeline.length === 0
  return change !== undefined && isAlike && isHarmless ? { ...row, change } : undefined
}

/** The `id` of a site, or of one of its networks; the same in each report, so that its address stays valid. */
export function targetId(site: string, key?: string): string {
  const parts = key === undefined ? [site] : [site, key]
  return ['at', ...parts.map(part => encodeURIComponent(escapeInside(part)))].join('/')
}

/** The id of a rule, or the code of a finding without one: `weak-key`, `SITE_NOT_READ`. */
export function ruleOf(code: string): string {
  return code.split(' ').at(-1) ?? code
}

/** What the search finds an item by, for `data-t`: `|s:off|site:hq`. */
export function tokens(
  all: readonly (readonly [key: string, value: string | undefined])[]
): string {
  return all.flatMap(([key, value]) => (value ? `|${key}:${value}` : [])).join('')
}
