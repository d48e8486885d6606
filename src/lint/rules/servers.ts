import type { Pointer } from '../../model/pointer.ts'
import { quote } from '../../model/text.ts'
import { serverLists } from '../conditions.ts'
import { describedName } from '../describe.ts'
import type { Violation } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** One violation for each RADIUS server that satisfies the test. */
export function aboutServers(
  wlan: WlanView,
  test: (server: WlanView) => boolean,
  message: (host: string) => string
): readonly Violation[] {
  return serverLists.flatMap(([list, host]) =>
    (wlan.elements(list) ?? []).filter(test).map(server => {
      const name = server.text(host) ?? ''
      const text = `${message(quote(name))}, in \`${describedName(list)}\``
      return { message: text, fields: [list], subject: `${list} ${name}` }
    })
  )
}

/** One violation for each server that a list names again, with the same port. */
export function duplicateServers(
  wlan: WlanView,
  list: Pointer,
  host: Pointer
): readonly Violation[] {
  const seen = new Set<string>()
  return (wlan.elements(list) ?? []).flatMap(server => {
    const name = server.text(host)
    const port = server.value('/port')
    if (name === undefined || port === undefined) return []
    const key = `${name.toLowerCase()} ${String(port)}`
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    const message = `\`${describedName(list)}\` names ${quote(name)} twice with the same port`
    return [{ message, fields: [list], subject: `${list} ${key}` }]
  })
}
