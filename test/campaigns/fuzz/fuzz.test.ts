import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { planSite } from '../../../src/core/plan/plan.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import { secretsIn } from '../../../src/core/values/value.ts'
import { formatPlan, parsePlan } from '../../../src/files/saved-plan.ts'
import { sitesIn } from '../../../src/files/snapshot.ts'
import { loadFleet } from '../../../src/fleet/load.ts'
import { parseRecord } from '../../../src/run/record/read.ts'
import { undoOf } from '../../../src/run/record/undo.ts'
import { detailOf, truncateLine } from '../../../src/service/http/error-message.ts'
import { encodeBody } from '../../../src/service/operation.ts'
import { Redactor } from '../../../src/service/redactor.ts'
import { readTokens } from '../../../src/service/tokens.ts'
import { fleetOf } from '../../fleet/fleet.ts'
import { folder, wlanctl } from '../../support/program.ts'
import { anyCharacter, runs } from '../../support/properties.ts'
import { serve } from '../../support/server.ts'
import { parseSnapshot } from '../../support/snapshot.ts'
import { site, wlans } from '../canaries/secrets.ts'
import {
  answerOf,
  declaredSite,
  expectHarmless,
  expectLoaded,
  expectShown,
  planOn,
  recorded,
  snapshotOf,
  unlessRefused
} from '../oracles.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { answers, fleets, plansLike, recordsLike, yaml } from './arbitraries.ts'
import { json, mutated } from './edits.ts'

afterEach(expectUnpolluted)

describe('random input ends with a documented exit code', () => {
  it.each([
    ['in any form', yaml],
    ['that are right as YAML', fleets]
  ])('fleet files %s', async (_, texts) => {
    const cwd = fleetOf({})
    const property = fc.asyncProperty(texts, async text => {
      writeFileSync(join(cwd, 'hq.yaml'), text)
      expectLoaded(await loadFleet({ directory: '.', cwd }))
    })
    await fc.assert(property.afterEach(expectUnpolluted))
  })

  it('saved plans', async () => {
    const saved = planOn(wlans, await declaredSite())
    expect(saved?.summary.changed).toBe(6)
    const property = fc.property(plansLike(JSON.parse(JSON.stringify(saved))), text => {
      const plan = unlessRefused(() => parsePlan(text, 'plan.json'))
      if (plan === undefined) return
      expectShown({ kind: 'plan', plan })
      expectShown({ kind: 'drift', plan })
    })
    fc.assert(property.afterEach(expectUnpolluted))
  })

  it('snapshots', async () => {
    const declared = await declaredSite()
    const taken = snapshotOf(wlans)
    expect(taken).toContain('"wlans": 7')
    const property = fc.property(mutated(taken ?? ''), answers, (text, answer) => {
      unlessRefused(() => parseSnapshot(text, 's.json'))
      const saved = snapshotOf(answer)
      if (saved === undefined) return
      expectHarmless(saved)
      const live = sitesIn(parseSnapshot(saved, 's.json'))(site)
      if (!('wlans' in live)) throw new Error('the site was not read')
      const { wlanPlans, unchanged } = planSite(declared, live)
      const others = wlanPlans.filter(({ status }) => status !== 'unchanged')
      expect(unchanged + others.length).toBe(6)
    })
    fc.assert(property.afterEach(expectUnpolluted))
  })

  it('records', async () => {
    const record = await recorded(await declaredSite())
    expect((await parseRecord(record, 'run.jsonl'))[0]?.changes).toHaveLength(6)
    const property = fc.asyncProperty(recordsLike(record), async text => {
      const runs = await parseRecord(text, 'run.jsonl').catch(thrown =>
        unlessRefused<undefined>(() => {
          throw thrown
        })
      )
      if (runs === undefined) return
      expectShown({ kind: 'record', runs })
      undoOf(runs)
    })
    await fc.assert(property.afterEach(expectUnpolluted))
  })

  it('responses of the service', async () => {
    const declared = await declaredSite()
    const property = fc.property(answers, answer => {
      unlessRefused(() => readTokens(answerOf(answer)))
      const plan = planOn(answer, declared)
      if (plan === undefined) return
      const { changed, unchanged, blocked, wlans } = plan.summary
      expect(changed + unchanged + blocked).toBe(wlans)
      for (const { body } of plan.changes.map(({ request }) => request)) {
        const isKnown = [...secretsIn(body)].every(secret => secret.known)
        if (isKnown) expect(JSON.parse(encodeBody(body).text)).toBeTypeOf('object')
      }
      expectShown({ kind: 'plan', plan: parsePlan(formatPlan(plan), 'plan.json') })
    })
    fc.assert(property.afterEach(expectUnpolluted))
  })

  it('errors of the service, whose secrets are redacted', () => {
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      json.map(value => JSON.stringify(value))
    )
    const secrets = fc.array(fc.string({ minLength: 8, maxLength: 40 }), { maxLength: 4 })
    const property = fc.property(texts, texts, secrets, (before, after, values) => {
      const known = new Redactor()
      for (const value of values) known.addSecret(value)
      const shown = truncateLine(known.redact(detailOf(before + values.join(after) + after) ?? ''))
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1024)
      for (const value of values) expect(shown).not.toContain(value)
    })
    fc.assert(property.afterEach(expectUnpolluted))
  })

  it('no input crashes the program', async () => {
    const cwd = folder()
    let answer = ''
    const server = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    )
    const env = { WLANCTL_BASE_URL: server.url, WLANCTL_API_TOKEN: 'a-token' }
    const property = fc.asyncProperty(
      yaml,
      fleets,
      answers,
      json,
      async (any, fleet, live, plan) => {
        answer = JSON.stringify(live)
        writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan))
        writeFileSync(join(cwd, 'any.yaml'), any)
        const first = await wlanctl(['validate'], { cwd, env })
        writeFileSync(join(cwd, 'any.yaml'), fleet)
        const lines = ['plan . --max-attempts 1 --format json', 'show plan.json']
        const others = await Promise.all(lines.map(line => wlanctl(line.split(' '), { cwd, env })))
        for (const { code, stdout, stderr } of [first, ...others]) {
          expect([0, 3, 4, 5]).toContain(code)
          expectHarmless(stdout + stderr)
        }
      }
    )
    await fc.assert(property, runs(8))
    await server.close()
  })
})

it('a secret stays secret whatever it contains', () => {
  const property = fc.property(fc.string({ unit: anyCharacter, minLength: 9 }), value => {
    const secret = new Secret({ $env: 'WLAN_SECRET_X' }, value)
    expect(`${secret}${JSON.stringify({ secret })}`).toBe(
      '(secret){"secret":{"$env":"WLAN_SECRET_X"}}'
    )
  })
  fc.assert(property)
})
