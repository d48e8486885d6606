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

/** The WLANs of a site after a change and before it. */
export interface SiteViews {
  /** Every WLAN as it is after the change. */
  readonly after: readonly SiteWlan[]
  /** True for a WLAN that is both declared and live: a change may bring violations in. */
  mayChange(wlan: SiteWlan): boolean
  /** The state before the change: the live one; undefined where it was not read. */
  before(wlan: SiteWlan): WlanView | undefined
  /** All that the views of a WLAN depend on. */
  input(wlan: SiteWlan): WlanInput
}

/** The views of a site's WLANs. */
export function siteViews({ wlans }: LintSite): SiteViews {
  let shown: boolean | undefined
  const showsSecrets = () => {
    shown ??= wlans.some(({ live }) => live !== undefined && holdsSecret(live))
    return shown
  }
  const kept = new Map<number, WlanView>()
  return {
    after: wlans.map(({ name, declared, live }, index) => ({
      index,
      name,
      view: new WlanView({ declared, live, showsSecrets })
    })),
    mayChange: ({ index }) => {
      const wlan = wlans[index]
      return wlan?.declared !== undefined && wlan.live !== undefined
    },
    input: ({ index }) => ({
      declared: wlans[index]?.declared,
      live: wlans[index]?.live,
      showsSecrets: showsSecrets()
    }),
    before: ({ index }) => {
      const view = kept.get(index)
      const { live, declared } = wlans[index] ?? {}
      if (view !== undefined || live === undefined) return view
      const made = new WlanView({ live, showsSecrets, declaredLater: declared })
      kept.set(index, made)
      return made
    }
  }
}

/** True if a value holds a secret that the service shows. */
function holdsSecret(value: Value): boolean {
  if (value instanceof Secret) return value.certain && !value.empty
  if (isList(value)) return value.some(holdsSecret)
  return isObject(value) && Object.values(value).some(holdsSecret)
}
