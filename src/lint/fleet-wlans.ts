import { Secret } from '../model/secret.ts'
import type { ValueObject } from '../model/value.ts'
import { pskTypes } from './conditions.ts'
import { holdsVariable } from './formats.ts'
import { reach } from './paths.ts'
import type { FleetFacts } from './rule.ts'
import type { WlanView } from './view.ts'

/** The facts that fleet rules compare; undefined for a disabled WLAN and for an unknown SSID. */
export function fleetFacts(view: WlanView): FleetFacts | undefined {
  const ssid = view.text('/ssid')
  if (ssid === undefined || view.off('/enabled')) return undefined
  return {
    ssid,
    ssidOrigin: view.origin('/ssid'),
    security: securityOf(view),
    securityOrigin: view.origin('/auth/type')
  }
}

/** True if a pre-shared key belongs to the authentication type. */
export function takesKey(view: WlanView): boolean {
  return view.is('/auth/type', ...pskTypes)
}

/** E.g. `eap (wpa2-ccmp, wpa3)`, `open`, `open with OWE required`. */
export function securityOf(view: WlanView): string | undefined {
  const type = view.text('/auth/type')
  if (type === undefined || type === 'wep') return type
  if (type === 'open') {
    const owe = view.text('/auth/owe')
    return owe === undefined || owe === 'disabled' ? owe && type : `${type} with OWE ${owe}`
  }
  const pairwise = view.entries('/auth/pairwise')
  if (pairwise === undefined || pairwise.some(holdsVariable)) return undefined
  return `${type} (${[...new Set(pairwise)].sort().join(', ')})`
}

const KEY = ['auth', 'psk']

/** The declared reference of the pre-shared key as a string; undefined if the WLAN declares none. */
export function keyReferenceOf(declared: ValueObject | undefined): string | undefined {
  const key = declared && reach(declared, KEY)
  if (!(key instanceof Secret)) return undefined
  const { reference } = key
  if ('$env' in reference) return `$env ${reference.$env}`
  return '$file' in reference ? `$file ${reference.$file}` : undefined
}
