import type { FleetSite } from '../draft.ts'
import { namesIn } from '../wlans/profiles.ts'
import { type Entry, type Node, sameNode, textOf } from '../yaml/tree.ts'

type Profiles = ReadonlyMap<string, Entry>

/**
 * Tells at little cost which sites cannot have changed: those that are written as they were, and extend
 * no profile that is written in another way, or extends one that is.
 */
export class Suspicion {
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

  isOn(now: FleetSite, then: FleetSite | undefined): boolean {
    if (then === undefined || now.name !== then.name) return true
    if (now.vars.size !== then.vars.size || now.wlans.size !== then.wlans.size) return true
    for (const [name, value] of now.vars) if (!isSame(value, then.vars.get(name))) return true
    for (const [key, block] of now.wlans) {
      if (!isSame(block.value, then.wlans.get(key)?.value) || this.#isOnBlock(block)) return true
    }
    return false
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

function isSame(now: Node, then: Node | undefined): boolean {
  return then !== undefined && sameNode(now, then)
}
