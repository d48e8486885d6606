import type { Violation } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** What makes the keys of a WEP network unusable; a key that is unknown is no problem. */
export function wepKeyProblems(wlan: WlanView): readonly Violation[] {
  const keys = wlan.secrets('/auth/keys')
  if (keys === undefined) return []
  const known = keys.filter(key => typeof key === 'string')
  const isNoneSet = keys.every(key => key === null)
  const active = wlan.number('/auth/key_idx')
  const isActiveMissing = active !== undefined && active > 0 && isUnset(keys, active - 1)
  return [
    ...problem(isNoneSet, 'none', 'the network has no WEP key'),
    ...problem(keys.length > 4, 'count', `expected at most 4 WEP keys, got ${keys.length}`),
    ...problem(
      known.some(key => !/^(?:[\da-f]{10}|[\da-f]{26})$/i.test(key)),
      'form',
      'expected WEP keys of 10 or 26 hexadecimal digits, got another form'
    ),
    ...problem(
      new Set(known.map(key => key.length)).size > 1,
      'length',
      'the WEP keys differ in length'
    ),
    ...problem(
      isActiveMissing && !isNoneSet,
      'active',
      '`auth.key_idx` names a WEP key that is not set'
    )
  ]
}

function isUnset(keys: readonly (string | null | undefined)[], place: number): boolean {
  return place >= keys.length || keys[place] === null
}

function problem(isThere: boolean, subject: string, message: string): readonly Violation[] {
  return isThere ? [{ subject, message }] : []
}
