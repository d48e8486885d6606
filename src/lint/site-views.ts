import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import type { WlanInput } from './memo.ts'
import type { SiteWlan } from './rule.ts'
import { WlanView } from './view.ts'

/** A WLAN to lint: declared, live, or both. */
export interface LintWlan {
  /** The name in findings: the key of a declared WLAN, the SSID of another. */
  readonly name: string
  /** The declared fields; absent for an unmanaged WLAN. */
  readonly declared?: ValueObject | undefined
  /** The live record; absent where the service was not read. */
  readonly live?: ValueObject | undefined
}

/** A site with all of its WLANs, the undeclared ones too, where they were read. */
export interface LintSite {
  readonly id: string
  readonly name: string
  readonly wlans: readonly LintWlan[]
}

/** A WLAN of a site after a change and before it. Its views are made when a rule needs them: most are not. */
export class LintedWlan implements SiteWlan {
  readonly index: number
  readonly name: string
  /** All that its views depend on. */
  readonly input: WlanInput
  #view: WlanView | undefined
  #before: WlanView | undefined

  constructor(index: number, name: string, input: WlanInput) {
    this.index = index
    this.name = name
    this.input = input
  }

  /** The WLAN with other fields. */
  with(input: WlanInput): LintedWlan {
    return new LintedWlan(this.index, this.name, input)
  }

  /** As it is after the change. */
  get view(): WlanView {
    const { declared, live, showsSecrets } = this.input
    this.#view ??= new WlanView({ declared, live, showsSecrets: () => showsSecrets })
    return this.#view
  }

  /** As it is before the change: the live state; undefined where it was not read. */
  get before(): WlanView | undefined {
    const { declared, live, showsSecrets } = this.input
    if (live === undefined) return undefined
    const source = { live, showsSecrets: () => showsSecrets, declaredLater: declared }
    this.#before ??= new WlanView(source)
    return this.#before
  }

  /** True for a WLAN that is both declared and live: a change may bring violations in. */
  get mayChange(): boolean {
    return this.input.declared !== undefined && this.input.live !== undefined
  }
}

/** The WLANs of a site, in their order. */
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
