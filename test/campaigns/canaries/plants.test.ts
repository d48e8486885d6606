import { describe, expect, it } from 'vitest'
import type { Leak } from '../../support/scanner.ts'
import { echoes } from './echoes.ts'
import { keys } from './secrets.ts'
import { trial } from './trial.ts'
import { differences } from './twins.ts'
import { type Mutation, variant } from './variant.ts'

/** A planted leak: a changed line of the program, the command, and the expected result. */
type Plant = Mutation & { readonly line: string; readonly found: Partial<Leak> }

const secret = 'core/values/secret.ts'
const reference = 'return this.reference'
const plan = 'plan FLEET --format json'
const apply = 'apply FLEET --yes'

const plants: Readonly<Record<string, Plant>> = {
  'in an error': {
    file: 'service/http/error-message.ts',
    find: 'truncateLine(redact(detail))',
    replace: 'truncateLine(detail)',
    line: apply,
    found: { canary: 'declared key of regexp', form: 'raw', where: 'stdout 0' }
  },
  'in an error, the live ones': {
    file: 'service/live.ts',
    find: 'if (secret.known) addSecret(value)',
    replace: '',
    line: apply,
    found: { canary: 'live key of an unmanaged WLAN', where: 'stdout 0' }
  },
  'in a patch value': {
    file: secret,
    find: reference,
    replace: 'return { $env: this.#value }',
    line: plan,
    found: { canary: 'declared key of regexp', form: 'JSON', where: 'stdout 0' }
  },
  'in a nested array': {
    file: 'service/live.ts',
    find: 'const value = valueIn(part, below, inSecret, depth, addSecret)',
    replace:
      'const value = item ? (part as Value) : valueIn(part, below, inSecret, depth, addSecret)',
    line: plan,
    found: { canary: 'undeclared of RADIUS', form: 'raw' }
  },
  'in verbose output': {
    file: 'cli/terminal/progress.ts',
    find: 'escapeText(text)',
    replace: 'escapeText(text + io.env["WLAN_SECRET_HTML"])',
    line: `${plan} --verbose`,
    found: { canary: 'declared key of html', where: 'stderr 0' }
  },
  'in a report file': {
    file: 'cli/output.ts',
    find: 'writeFileAtomic(file, rendered,',
    replace: 'writeFileAtomic(file, rendered + io.env["WLANCTL_API_TOKEN"],',
    line: `${plan} --report text=r.txt`,
    found: { canary: 'the token', form: 'raw', where: 'r.txt' }
  },
  'as its length in asterisks': {
    file: 'report/fields/field-changes.ts',
    find: 'rotation?.text ?? `(secret) ',
    replace: 'rotation?.text ?? "*".repeat(afterOf(field).reveal().length) + `(secret) ',
    line: 'plan FLEET',
    found: { canary: 'declared key of percent', form: 'its length' }
  },
  'in the stack of a bug': {
    file: 'cli/commands/plan.ts',
    find: 'await writeReport({ kind',
    replace: 'throw new Error(io.env["WLAN_SECRET_REGEXP"]); await writeReport({ kind',
    line: 'plan FLEET',
    found: { canary: 'declared key of regexp', where: 'stderr 0' }
  },
  'in the address of a request': {
    file: 'service/operation.ts',
    find: 'path: wlanPath(operation), body: operation.body',
    replace:
      'path: wlanPath(operation) + "?" + encodeURIComponent(operation.body.secrets[0]), body: operation.body',
    line: apply,
    found: { canary: 'declared key of percent', form: 'URL', where: expect.stringMatching(/path$/) }
  },
  'in the header of another request': {
    file: 'service/http/http-connection.ts',
    find: "'user-agent': connection.userAgent",
    replace: "'user-agent': connection.env['WLANCTL_API_TOKEN']",
    line: plan,
    found: { canary: 'the token', where: expect.stringMatching(/headers$/) }
  },
  'in the environment of a check': {
    file: 'cli/commands/apply.ts',
    find: 'withoutCredentials(io.env, credentials)',
    replace: 'io.env',
    line: `${apply} --check env`,
    found: { canary: 'the token', where: 'stderr 0' }
  },
  'in the environment of a check, a declared one': {
    file: 'cli/terminal/child-process.ts',
    find: "['WLAN_SECRET_', ...(secretPrefix === '' ? [] : [secretPrefix])]",
    replace: '[]',
    line: `${apply} --check env`,
    found: { canary: 'declared key of regexp', where: 'stderr 0' }
  },
  'in a message about a secrets file': {
    file: 'fleet/secrets/secrets-file.ts',
    find: "'expected NAME=value'",
    replace: 'content',
    line: `${plan} --secrets-file WRONG`,
    found: { canary: 'declared key of json', where: 'stderr 0' }
  },
  'in another field of the body': {
    file: 'service/operation.ts',
    find: 'JSON.stringify(reveal(body, secrets))',
    replace:
      'JSON.stringify({ ...reveal(body, secrets), hostname: reveal(body, [])["auth"]?.psk })',
    line: apply,
    found: {
      canary: 'declared key of json',
      where: expect.stringMatching(/^request.*PUT, its body/)
    }
  }
}

describe('a planted leak is detected', () => {
  it.each(Object.entries(plants))('%s', async (_, { line, found, ...mutation }) => {
    const made = await trial({}, await variant(mutation))
    const [, echo] = echoes(400).find(([how]) => how === 'all secrets') ?? []
    const isInError = line === apply && found.where === 'stdout 0'
    if (isInError && echo)
      made.answer(({ method, path }) => method === 'GET' && !path.endsWith('/wlans'), echo)
    const wrong = made.write('wrong.env', keys.json, 0o600)
    const ended = await made.run(line.replace('WRONG', wrong))
    expect(made.leaks(ended)).toContainEqual(expect.objectContaining(found))
  })

  it('as a part of the digest', async () => {
    const program = await variant({
      file: 'core/plan/digest.ts',
      find: '({ changes }) => changes.map(contentOf)',
      replace: `({ changes }) => changes.map(change => JSON.stringify(change, function (name, value) {
        return this[name]?.reveal ? this[name].reveal() : value
      }))`
    })
    const found = await differences(await trial({}, program))
    expect(found).toEqual(expect.arrayContaining(['plan FLEET: stdout']))
  })
})
