import type { FleetSite } from '../site-builder.ts'
import { namesIn } from '../wlans/profiles.ts'
import { type Entry, type Node, sameNode, textOf } from '../yaml/tree.ts'

type Profiles = ReadonlyMap<string, Entry>

/**
 * Tells at little cost which WLANs of a site cannot have changed: those that are written as they were,
 * with the same variables, and extend no profile that is written in another way, or extends one that is.
 */
export class ChangePrefilter {
  readonly #now: Profiles
  readonly #then: Profiles
  /** Of profiles by name; one that is being looked at is no reason by itself. */
  readonly #profiles = new Map<string, boolean>()
  /** Of blocks, which several sites may share. */
  readonly #blocks = new Map<Entry, boolean>()

  constructor(now: Profiles, then: Profiles) {
    this.#now = now
    this.#then = then
  }

  /** The keys of the WLANs that may have changed, came, or went. */
  keysIn(now: FleetSite, then: FleetSite): ReadonlySet<string> {
    const [wlans, earlier] = [now.wlans(), then.wlans()]
    const keys = new Set([...wlans.keys(), ...earlier.keys()])
    if (!sameVars(now, then)) return keys
    for (const key of keys) {
      const block = wlans.get(key)
      const isSure = block !== undefined && isSame(block.value, earlier.get(key)?.value)
      if (isSure && !this.#isOnBlock(block)) keys.delete(key)
    }
    return keys
  }

  #isOnBlock(block: Entry): boolean {
    const known = this.#blocks.get(block) ?? this.#isOnWhatExtends(block.value)
    this.#blocks.set(block, known)
    return known
  }

  #isOnWhatExtends(block: Node): boolean {
    const extended = block.kind === 'map' ? block.entries.get('$extends') : undefined
    if (extended === undefined) return false
    return namesIn(extended.value).some(name => this.#isOnProfile(textOf(name) ?? ''))
  }

  #isOnProfile(name: string): boolean {
    const known = this.#profiles.get(name)
    if (known !== undefined) return known
    this.#profiles.set(name, false)
    const now = this.#now.get(name)
    const isOn =
      now === undefined ||
      !isSame(now.value, this.#then.get(name)?.value) ||
      this.#isOnWhatExtends(now.value)
    this.#profiles.set(name, isOn)
    return isOn
  }
}

function sameVars(now: FleetSite, then: FleetSite): boolean {
  if (now.vars.size !== then.vars.size) return false
  return [...now.vars].every(([name, value]) => isSame(value, then.vars.get(name)))
}

function isSame(now: Node, then: Node | undefined): boolean {
  return then !== undefined && sameNode(now, then)
}
