import { Secret } from '../model/secret.ts'
import type { FleetWlan, SiteWlan } from './rule.ts'
import type { WlanView } from './view.ts'
import { holdsVariable } from './written.ts'

/** Equal texts as one: a fleet has few combinations of security. Bounded by the combinations of a fleet. */
export type TextCache = Map<string, string>

/**
 * What rules of the fleet need to know about a WLAN; undefined where it is known to be disabled, or its SSID
 * is unknown.
 */
export function fleetWlan(
  site: string,
  wlan: Pick<SiteWlan, 'name'>,
  view: WlanView,
  index: number,
  texts: TextCache
): FleetWlan | undefined {
  const ssid = view.text('/ssid')
  if (ssid === undefined || view.off('/enabled')) return undefined
  const security = securityOf(view)
  return {
    site,
    wlan: wlan.name,
    index,
    ssid,
    ssidOrigin: view.origin('/ssid'),
    security: security === undefined ? undefined : once(texts, security),
    securityOrigin: view.origin('/auth/type'),
    keyReference: referenceOf(view)
  }
}

function once(texts: TextCache, text: string): string {
  const kept = texts.get(text)
  if (kept !== undefined) return kept
  texts.set(text, text)
  return text
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

function referenceOf(view: WlanView): string | undefined {
  const psk = view.written('/auth/psk')
  if (!(psk instanceof Secret) || !view.is('/auth/type', 'psk', 'psk-tkip', 'psk-wpa2-tkip')) {
    return undefined
  }
  const { reference } = psk
  if ('$env' in reference) return `$env ${reference.$env}`
  return '$file' in reference ? `$file ${reference.$file}` : undefined
}
