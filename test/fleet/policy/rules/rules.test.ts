import { describe, expect, it, test } from 'vitest'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { limits } from '../../../../src/fleet/limits.ts'
import { HQ as SITE_ID } from '../../../support/ids.ts'
import { tablesIn } from '../../../support/tables.ts'
import { HQ, HQ_ALONE, indent, lines, load } from '../../fleet.ts'

/** Rules in flow style, one per line; the first begins at line 3, and its map at column 7. */
const policy = (...rules: readonly string[]) => ({
  'p.yaml': `policy:\n  rules:\n${rules.map(rule => `    - { name: r, message: m, ${rule} }\n`).join('')}`
})

const wlan = (text: string) => ({ 'hq.yaml': `${HQ}  w:\n${indent(text)}` })

async function found(rule: string, text: string): Promise<string[]> {
  return lines((await load({ ...policy(rule), ...wlan(`${text}\n`) })).findings)
}

/** A rule, and a WLAN. */
interface Row {
  readonly rule: string
  readonly wlan: string
}

const tables = tablesIn<{
  readonly violated: Readonly<Record<string, Row & { readonly found: readonly string[] }>>
  readonly rule: Readonly<Record<string, Row & { readonly broken: boolean }>>
}>(import.meta.dirname, 'rules.yaml')

describe('a violated rule', () => {
  test.each(Object.entries(tables.violated))(
    '%s',
    async (_what, { rule, wlan: text, found: expected }) => {
      expect(await found(rule, text)).toEqual(expected)
    }
  )

  it('is no error of the files', async () => {
    const { desired, findings } = await load({
      ...policy('require: { required: [dtim] }'),
      ...wlan('ssid: a\n')
    })
    expect(findings).toEqual([
      {
        level: 'error',
        code: 'RULE',
        message: 'violates the rule "r": m',
        place: { file: 'hq.yaml', line: 6, column: 3 },
        path: 'wlans.w',
        address: 'hq/w',
        rule: 'r'
      }
    ])
    expect(desired?.findings).toEqual(findings)
  })

  it('is reported together with other errors', async () => {
    const { desired, findings } = await load({
      ...policy('require: { required: [dtim] }'),
      'hq.yaml': `${HQ}  a: { ssid: a }\n  b: { ssid: b, nope: 1, dtim: 1 }\n  c: { ssid: { $var: nope } }\n`
    })
    expect(desired).toBeUndefined()
    expect(lines(findings)).toEqual([
      'hq.yaml:6:3 RULE wlans.a',
      'hq.yaml:7:17 FIELD_UNKNOWN wlans.b.nope',
      'hq.yaml:8:14 VARIABLE_UNKNOWN wlans.c.ssid'
    ])
  })

  it('names the WLANs that share a location', async () => {
    const site = (name: string, digit: number) =>
      `  - { id: 4ac1dcf4-9d8b-4211-95c4-05781900000${digit}, name: ${name}, vars: { n: ${digit + 1} } }\n`
    const sites = ['a', 'b', 'c', 'd', 'e'].map((name, at) => site(name, at)).join('')
    const { findings } = await load({
      ...policy('require: { required: [dtim], properties: { vlan_id: { maximum: 3 } } }'),
      'x.yaml': `sites:\n${sites}wlans:\n  w: { ssid: a }\n  x: { ssid: b, dtim: 1, vlan_id: { $var: n } }\n`
    })
    expect(findings).toMatchObject([
      { place: { line: 8 }, addresses: ['a/w', 'b/w', 'c/w', 'd/w', 'e/w'] },
      { place: { line: 9 }, addresses: ['d/x', 'e/x'] }
    ])
    expect(findings.map(({ address }) => address)).toEqual([undefined, undefined])
    expect(findings[1]?.message).toContain('the variable "n"')
  })

  it('is counted beyond 200 locations', async () => {
    const wlans = Array.from({ length: 300 }, (_, at) => `  w${at}: { ssid: a }\n`)
    const { findings } = await load({
      ...policy('require: { required: [dtim] }'),
      'hq.yaml': HQ + wlans.join('')
    })
    expect(findings).toHaveLength(201)
    expect(findings.at(-1)).toMatchObject({
      code: 'RULE_BROKEN_OFTEN',
      message: 'the rule "r" is violated at 100 other places',
      place: { file: 'p.yaml', line: 3, column: 7 }
    })
  })
})

describe('a rule', () => {
  test.each(Object.entries(tables.rule))('%s', async (_what, { rule, wlan: text, broken }) => {
    const { findings } = await load({
      ...policy(rule),
      'profiles.yaml': 'profiles: { p: { dtim: 1 } }\n',
      ...wlan(`${text}\n`)
    })
    const codes = findings.map(({ code }) => code).filter(code => code !== 'RULE_UNUSED')
    expect(codes).toEqual(broken ? ['RULE'] : [])
  })

  it('reads no secret, only whether one is empty', async () => {
    const text =
      'ssid: a\nauth: { type: psk, psk: { $env: WLAN_SECRET_A } }\nauth_servers: [{ host: b, secret: in-clear-in-clear }]\nportal: { password: "" }\n'
    const { findings } = await load({
      'p.yaml': `policy:
  plaintext_secrets: allow
  rules:
    - name: unknown
      message: m
      require:
        properties:
          auth: { properties: { psk: { const: another-key } } }
          auth_servers: { items: { properties: { secret: { not: { const: in-clear-in-clear } } } } }
          portal: { properties: { password: { const: "" } } }
`,
      ...wlan(text)
    })
    expect(lines(findings)).toEqual([])
  })

  it('is data, whatever its names and values look like', async () => {
    const name = JSON.stringify(`"'];globalThis.polluted=1//\u2028\u0024{1}\u0060`)
    const schema = `{ required: [${name}, __proto__], properties: { ${name}: { const: ${name} } } }`
    const text = policy(`require: ${schema}`)['p.yaml']
    const { findings } = await load({
      'p.yaml': text.replace('policy:', 'policy:\n  unknown_fields: warn'),
      ...wlan('ssid: a\n')
    })
    const broken = findings.filter(({ code }) => code === 'RULE')
    expect(lines(broken)).toEqual(['hq.yaml:6:3 RULE wlans.w'])
    expect(Reflect.get(globalThis, 'polluted')).toBeUndefined()
  })

  it('applies to the selected WLANs only', async () => {
    const files = {
      ...policy('require: { required: [dtim] }'),
      'hq.yaml': `${HQ}  a: { ssid: a }\n  b: { ssid: b, dtim: 1 }\n`
    }
    expect((await load(files, { wlans: ['b'] })).findings).toEqual([])
    expect((await load(files, { wlans: ['a'] })).findings).toHaveLength(1)
    expect((await load(files)).findings).toHaveLength(1)
  })
})

describe('an invalid rule', () => {
  const nested = (depth: number) => `${'{ not: '.repeat(depth)}{ const: 1 }${' }'.repeat(depth)}`
  test.each<[what: string, require: string, problem: RegExp, path: string]>([
    ['a misspelt keyword', '{ propertis: {} }', /did you mean properties\?/, 'propertis'],
    ['no keyword', '{ xyzzy: 1 }', /no keyword "xyzzy"$/, 'xyzzy'],
    ['$data', '{ $data: 1/ssid }', /no keyword/, '$data'],
    ['$data in a limit', '{ maximum: { $data: 1/dtim } }', /`maximum` must be a number/, 'maximum'],
    ['$id', '{ $id: "https://example.com/a" }', /no keyword/, '$id'],
    ['$schema', '{ $schema: "https://json-schema.org/draft-07/schema" }', /no keyword/, '$schema'],
    ['uniqueItems', '{ uniqueItems: true }', /no keyword/, 'uniqueItems'],
    ['a remote $ref', '{ $ref: "https://example.com/s.json" }', /leads out/, '$ref'],
    ['a $ref to another schema', '{ $ref: "wlan.schema.json" }', /leads out/, '$ref'],
    [
      'a $ref with an encoded step',
      '{ $ref: "#/%24defs/a", $defs: { a: {} } }',
      /leads out/,
      '$ref'
    ],
    ['a $ref to nothing', '{ $ref: "#/$defs/a" }', /there is no schema/, '$ref'],
    ['a $ref into data', '{ $ref: "#/const", const: {} }', /there is no schema/, '$ref'],
    ['a $ref to itself', '{ $ref: "#" }', /leads to itself/, '$ref'],
    ['a $ref that recurs', '{ items: { $ref: "#" } }', /leads to itself/, 'items.$ref'],
    [
      'a circle of $refs',
      '{ $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }',
      /leads to itself/,
      '$defs.b.$ref'
    ],
    [
      'a lookahead',
      '{ properties: { ssid: { pattern: "(?=a)" } } }',
      /RE2 .*Perl syntax/,
      'properties.ssid.pattern'
    ],
    ['a backreference', '{ pattern: "(a)\\\\1" }', /RE2 .*escape/, 'pattern'],
    [
      'a pattern that repeats repeats',
      '{ pattern: "((a{100}){100}){100}" }',
      /RE2 .*repeat/,
      'pattern'
    ],
    ['a broken pattern', '{ pattern: "(" }', /RE2/, 'pattern'],
    ['a long pattern', `{ pattern: "${'a'.repeat(201)}" }`, /at most 200/, 'pattern'],
    [
      'an invalid pattern for names',
      '{ patternProperties: { "(?!a)": true } }',
      /RE2/,
      'patternProperties.(?!a)'
    ],
    ['a pattern that is a number', '{ pattern: 1 }', /must be a text/, 'pattern'],
    ['an unknown type', '{ type: text }', /`type` must be one or a list of/, 'type'],
    ['an enum without values', '{ enum: [] }', /a list of values/, 'enum'],
    ['a negative length', '{ minLength: -1 }', /a whole number/, 'minLength'],
    ['a name twice', '{ required: [a, a] }', /each once/, 'required'],
    ['a list for a schema', '{ not: [] }', /a schema is a map/, 'not'],
    ['a schema for a list', '{ allOf: {} }', /a list of schemas/, 'allOf'],
    ['no schema in a list', '{ anyOf: [] }', /a list of schemas/, 'anyOf'],
    ['a list for schemas by name', '{ properties: [] }', /a map of schemas/, 'properties'],
    ['too much', `{ enum: [${'1, '.repeat(600)}] }`, /more than 500/, 'enum[498]']
  ])('%s', async (_what, require, problem, path) => {
    const { desired, findings } = await load({
      ...policy(`require: ${require}`),
      ...wlan('ssid: a\n')
    })
    expect(desired).toBeUndefined()
    expect(findings).toMatchObject([
      {
        code: 'RULE_INVALID',
        path: `policy.rules[0].require.${path}`,
        place: { file: 'p.yaml', line: 3 }
      }
    ])
    expect(findings[0]?.message).toMatch(problem)
  })

  it.each([
    ['no name', '{ message: m, require: {} }', 'KEY_MISSING policy.rules[0]'],
    [
      'an empty `require`',
      '{ name: r, message: m, require: }',
      'WRONG_TYPE policy.rules[0].require'
    ],
    [
      'an empty `when`',
      '{ name: r, message: m, when: , require: {} }',
      'WRONG_TYPE policy.rules[0].when'
    ],
    ['an empty rule', '~', 'VALUE_MISSING policy.rules[0]'],
    [
      'an invisible name',
      '{ name: "\u202e", message: m, require: {} }',
      'NAME_UNFIT policy.rules[0].name'
    ],
    [
      'a message too long',
      `{ name: r, message: ${'m'.repeat(501)}, require: {} }`,
      'FIELD_LENGTH policy.rules[0].message'
    ]
  ])('%s', async (_what, rule, code) => {
    const { findings } = await load({
      'p.yaml': `policy: { rules: [${rule}] }\n`,
      'hq.yaml': HQ_ALONE
    })
    expect(lines(findings).map(line => line.replace(/^\S+ /, ''))).toEqual([code])
  })

  it('may be nested as deep as a file', async () => {
    const { findings } = await load({ ...policy(`require: ${nested(58)}`), ...wlan('ssid: a\n') })
    expect(lines(findings)).toEqual(['hq.yaml:6:3 RULE wlans.w'])
  })

  it('is any rule after the first hundred', async () => {
    const rules = Array.from(
      { length: 101 },
      (_, at) => `{ name: r${at}, message: m, require: {} }`
    )
    const { findings } = await load({
      'p.yaml': `policy:\n  rules: [${rules.join(', ')}]\n`,
      'hq.yaml': HQ_ALONE
    })
    expect(findings).toMatchObject([{ code: 'TOO_MANY', path: 'policy.rules[100]' }])
  })
})

describe('a rule is refused', () => {
  const everywhere = (schema: string) => `require: { additionalProperties: { items: ${schema} } }`
  const many = `new_field: [${'1, '.repeat(4900)}]`

  test.each<[what: string, rule: string, wlan: string, problem: string]>([
    [
      'with too many errors of a WLAN',
      everywhere(`{ allOf: [${'{ not: true }, '.repeat(30)}] }`),
      many,
      `violates it in more than ${limits.ruleErrors} places`
    ],
    [
      'with a pattern that is too large for a long text',
      'require: { properties: { ssid: { pattern: "[ab]*a[ab]{900}[cd]" } } }',
      `ssid: ${'ab'.repeat(5000)}`,
      'is too long for a pattern'
    ],
    [
      'with patterns that are too large',
      `require: { anyOf: [${Array.from({ length: 100 }, (_, at) => `{ pattern: "x{${at}}(.{1000}|.{1000})(.{1000}|.{1000})" }`).join(', ')}] }`,
      'ssid: a',
      'its patterns are too large'
    ]
  ])('%s', async (_what, rule, text, problem) => {
    const { findings } = await load({ ...policy(rule), ...wlan(`${text}\n`) })
    const invalid = findings.filter(({ code }) => code === 'RULE_INVALID')
    expect(invalid).toMatchObject([{ place: { file: 'p.yaml', line: 3 } }])
    expect(invalid[0]?.message).toContain(problem)
  })

  it('over live WLANs that take too long', async () => {
    let now = 0
    const rule = 'require: { properties: { ssid: { const: b }, auth: { type: object } } }'
    const files = { ...policy(rule), ...wlan('ssid: a\n') }
    const limited = { rulesOver: 'live', limits: { seconds: 10 }, clock: () => now } as const
    const { desired } = await load(files, limited)
    const rules = desired?.rules
    if (rules === undefined) throw new Error('expected rules')
    const fields: ValueObject = { ssid: 'a', auth: { type: 'psk', psk: '' } }
    const evaluate = (seconds: number) => {
      const showsSecrets = () => {
        now += seconds
        return true
      }
      const subject = { fields, live: fields, site: { id: SITE_ID, name: 'hq' }, showsSecrets }
      return rules.evaluateLive(subject, subject, 'managed').length
    }
    expect(evaluate(0)).toBe(1)
    now += 100
    expect(evaluate(0)).toBe(1)
    expect(rules.problems(true)).toEqual([])
    evaluate(11)
    expect(evaluate(0)).toBe(0)
    expect(rules.problems(true)).toMatchObject([{ code: 'RULE_FAILED', level: 'error', rule: 'r' }])
  })
})
