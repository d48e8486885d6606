import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import type { SiteWlan } from './rule.ts'
import { WlanView } from './view.ts'
import type { WlanInput } from './wlan-cache.ts'

/** A WLAN to lint: declared, live, or both. */
export interface LintWlan {
  /** The name in findings: the key of a declared WLAN, otherwise the SSID. */
  readonly name: string
  /** The declared fields; absent for an unmanaged WLAN. */
  readonly declared?: ValueObject | undefined
  /** The live record; absent if the service was not read. */
  readonly live?: ValueObject | undefined
}

/** A site with all of its WLANs, including undeclared ones if the service was read. */
export interface LintSite {
  readonly id: string
  readonly name: string
  readonly wlans: readonly LintWlan[]
}

/**
 * A WLAN of a site after a change and before it. It creates its views on demand, since rules need few of
 * them.
 */
export class LintedWlan implements SiteWlan {
  readonly index: number
  readonly name: string
  /** The inputs of its views. */
  readonly input: WlanInput
  #view: WlanView | undefined
  #before: WlanView | undefined

  constructor(index: number, name: string, input: WlanInput) {
    this.index = index
    this.name = name
    this.input = input
  }

  /** Returns this WLAN with other fields. */
  with(input: WlanInput): LintedWlan {
    return new LintedWlan(this.index, this.name, input)
  }

  /** The WLAN after the change. */
  get view(): WlanView {
    const { declared, live, showsSecrets } = this.input
    this.#view ??= new WlanView({ declared, live, showsSecrets: () => showsSecrets })
    return this.#view
  }

  /** The live WLAN before the change; undefined if it was not read. */
  get before(): WlanView | undefined {
    const { declared, live, showsSecrets } = this.input
    if (live === undefined) return undefined
    const source = { live, showsSecrets: () => showsSecrets, declaredLater: declared }
    this.#before ??= new WlanView(source)
    return this.#before
  }

  /** True for a WLAN that is both declared and live: a change may cause violations. */
  get mayChange(): boolean {
    return this.input.declared !== undefined && this.input.live !== undefined
  }
}

/** The WLANs of a site, in the order of the site. */
export function lintedWlans({ wlans }: LintSite): LintedWlan[] {
  const showsSecrets = wlans.some(({ live }) => live !== undefined && showsSecret(live))
  return wlans.map(
    ({ name, declared, live }, index) =>
      new LintedWlan(index, name, { declared, live, showsSecrets })
  )
}

/** True if a value holds a secret that the service shows. */
function showsSecret(value: Value): boolean {
  if (value instanceof Secret) return value.certain && !value.empty
  if (isList(value)) return value.some(showsSecret)
  if (!isObject(value)) return false
  for (const name of Object.keys(value)) {
    const inner = value[name]
    if (typeof inner === 'object' && inner !== null && showsSecret(inner)) return true
  }
  return false
}
