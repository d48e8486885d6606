import { afterEach, describe, expect, it } from 'vitest'
import { formatNames } from '../../../src/report/report.ts'
import { secretMaskings } from '../../../src/simulator/switches.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { FLEET, keys, keyVariables, site } from './secrets.ts'
import { expectSealed, trial } from './trial.ts'
import { differences } from './twins.ts'

afterEach(expectUnpolluted)

/** The site before its WLANs had keys; the service returns RADIUS secrets in plaintext. */
const withoutKeys = {
  ...site,
  wlans: site.wlans.map(({ auth, ...wlan }) => ({
    ...wlan,
    ...(auth !== undefined && { auth: 'psk' in Object(auth) ? { type: 'psk' } : auth })
  }))
}

/** All output of a run: a report in each format. */
const everything = `--verbose ${formatNames.map(name => `--report ${name}=r.${name}`).join(' ')}`

it.each(formatNames)('no secret appears on stdout as %s', async format => {
  const made = await trial()
  const form = `--verbose --format ${format}`
  await expectSealed(made, made.run(`plan FLEET --out plan.json ${form}`), 0)
  await expectSealed(made, made.run(`show plan.json ${form}`), 0)
  await expectSealed(made, made.run(`apply FLEET --yes --record run.jsonl ${form}`), 0)
  await expectSealed(made, made.run(`show run.jsonl ${form}`), 0)
})

describe('no secret appears in any format', () => {
  it.each<[line: string, code: number]>([
    ['validate FLEET', 0],
    ['plan FLEET --out plan.json', 0],
    ['plan FLEET --detailed-exitcode', 2],
    ['drift FLEET', 2],
    ['audit FLEET', 2],
    ['doctor FLEET', 0],
    ['adopt FLEET --dry-run', 5],
    ['list FLEET --live --sort auth.psk --columns site,ssid,auth,auth.psk,auth_servers', 0],
    ['list FLEET --live --format csv --by auth.psk', 0],
    ['apply FLEET --yes --allow-downgrade', 0],
    ['apply FLEET --yes --max-changes 1', 4],
    ['apply FLEET', 3]
  ])('%s', async (line, code) => {
    const made = await trial()
    await expectSealed(made, made.run(`${line} ${everything}`), code)
  })

  it('of shards, and the plan merged from them', async () => {
    const made = await trial()
    const ended = [
      await made.run(`plan FLEET --shard 1/1 --out part.json ${everything}`),
      await made.run(`show part.json ${everything}`),
      await made.run(`show part.json --out plan.json ${everything}`)
    ]
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(made.leaks(...ended)).toEqual([])
  })

  it.each(secretMaskings)(
    'of a snapshot and its reports, secrets hidden: %s',
    async hiddenSecrets => {
      const made = await trial({ switches: { hiddenSecrets } })
      const ended = [
        await made.run(`snapshot FLEET --out s.json ${everything}`),
        await made.run(`snapshot FLEET ${everything}`),
        await made.run(`plan FLEET --against s.json --out plan.json ${everything}`),
        await made.run(`drift FLEET --since s.json ${everything}`)
      ]
      made.simulator.edit(site.id, '7d6f1c5e-0000-4000-8000-000000000004', { auth_servers: [] })
      ended.push(await made.run(`diff s.json ${everything}`))
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 2, 2])
      expect(made.leaks(...ended)).toEqual([])
    }
  )

  it('of an import', async () => {
    const made = await trial()
    const form = `--all-fields ${everything}`
    const ended = [
      await made.run(`import ${site.id} ${form}`),
      await made.run(`import ${site.id} --plain --force ${form}`)
    ]
    expect(ended.map(({ code }) => code)).toEqual([0, 0])
    expect(made.leaks(...ended)).toEqual([])
  })

  it('of a record, shown and reverted, for a failed and for an approved run', async () => {
    const made = await trial({ switches: { fail: [{ method: 'PUT', kind: '500', times: 3 }] } })
    const ended = [
      await made.run('plan FLEET --out plan.json'),
      await made.run(
        `apply FLEET --yes --max-attempts 1 --plan plan.json --record run.jsonl ${everything}`
      ),
      await made.run(`apply FLEET --yes --record run.jsonl ${everything}`),
      await made.run(`show run.jsonl ${everything}`),
      await made.run(`revert run.jsonl FLEET --yes --record back.jsonl ${everything}`),
      await made.run(`show back.jsonl ${everything}`)
    ]
    expect(ended.map(({ code }) => code)).toEqual([0, 5, 0, 0, 5, 0])
    expect(made.leaks(...ended)).toEqual([])
  })

  it.each(secretMaskings)('with hidden secrets: %s', async hiddenSecrets => {
    const made = await trial({ switches: { hiddenSecrets } })
    const planned = await made.run(`plan FLEET ${everything}`)
    const applied = await made.run(`apply FLEET --yes ${everything}`)
    // A plan shows what travels along hidden; apply needs a token that sees it.
    expect([planned.code, applied.code]).toEqual([0, hiddenSecrets === 'no' ? 0 : 5])
    expect(made.leaks(planned, applied)).toEqual([])
  })
})

it('no newly set secret appears', async () => {
  const made = await trial({ sites: [withoutKeys] })
  await expectSealed(made, made.run(`plan FLEET ${everything}`), 0, /\(secret\) set/)
  await expectSealed(made, made.run(`apply FLEET --yes ${everything}`), 0, /6 applied/)
  const bodies = made.simulator.history.map(({ body }) => JSON.stringify(body)).join('')
  expect(bodies).toContain(JSON.stringify(keys.percent))
})

it('no secret appears in coloured output', async () => {
  const made = await trial()
  await expectSealed(made, made.run('plan FLEET --verbose', { FORCE_COLOR: '1' }), 0, /\u001b\[/)
})

it('no secret appears through a check that prints its whole environment', async () => {
  const made = await trial()
  const line = `apply FLEET --yes --allow-downgrade --record r.jsonl ${everything} --check env`
  await expectSealed(made, made.run(line), 0, /check: PATH=/)
})

describe('no secret appears through a secrets file', () => {
  const unset = Object.fromEntries(Object.keys(keyVariables).map(name => [name, undefined]))
  const lines = Object.entries(keyVariables).map(entry => `${entry.join('=')}\n`)

  it.each<[what: string, text: string, line: string, code: number]>([
    ['of a plan', lines.join(''), 'plan FLEET --out plan.json', 0],
    ['of an apply', lines.join(''), 'apply FLEET --yes --allow-downgrade', 0],
    ['of a drift', lines.join(''), 'drift FLEET', 2],
    ['with a name twice', lines.join('') + lines[0], 'plan FLEET', 3],
    ['with an open quote', `${lines.join('')}WLAN_SECRET_X='${keys.json}`, 'plan FLEET', 3],
    ['with values alone', Object.values(keyVariables).join('\n'), 'apply FLEET --yes', 3],
    ['with another prefix', lines.join('').replaceAll('WLAN_', ''), 'drift FLEET', 3]
  ])('%s', async (_what, text, line, code) => {
    const made = await trial()
    const file = made.write('secrets.env', text, 0o600)
    const ended = made.run(`${line} ${everything} --secrets-file ${file}`, unset)
    await expectSealed(made, ended, code)
  })
})

it('no secret appears through variables in the names of secrets', async () => {
  const made = await trial()
  const fleet = FLEET.replace('name: hq', 'name: hq, vars: { key: html, dir: deep }')
    .replace('WLAN_SECRET_HTML', '"WLAN_SECRET_{key}"')
    .replace('deep/second', '"{dir}/second"')
  made.write('fleet/hq.yaml', fleet)
  await expectSealed(made, made.run(`plan FLEET ${everything}`), 0, /WLAN_SECRET_HTML/)
  await expectSealed(made, made.run(`apply FLEET --yes ${everything}`), 0, /6 applied/)
  const lacking = { WLAN_SECRET_JSON: '', WLANCTL_SECRETS_DIR: '' }
  await expectSealed(made, made.run(`plan FLEET ${everything}`, lacking), 0, /not available/)
})

it('an import writes secrets only to --secrets-out', async () => {
  const made = await trial()
  const ended = await made.run(`import ${site.id} --secrets-out secrets.env ${everything}`)
  expect(ended.code).toBe(0)
  const leaks = made.leaks(ended)
  expect(leaks.length).toBeGreaterThan(5)
  expect(new Set(leaks.map(({ where }) => where))).toEqual(new Set(['secrets.env']))
})

it.each(['', ' --plain'])('an import%s writes secrets only to --secrets-dir', async plain => {
  const made = await trial()
  const ended = await made.run(`import ${site.id} --secrets-dir secrets ${everything}${plain}`)
  expect(ended.code).toBe(0)
  const leaks = made.leaks(ended)
  expect(leaks.length).toBeGreaterThan(5)
  for (const { where } of leaks) expect(where).toMatch(/^secrets\/site-4ac1dcf4-/)
})

it('every declared secret was sent, so that the scans are meaningful', async () => {
  const made = await trial()
  await expectSealed(made, made.run('apply FLEET --yes'), 0, /6 applied/)
  const bodies = made.simulator.history.map(({ body }) => JSON.stringify(body)).join('')
  for (const secret of ['title', 'first line of radius', 'live-riding', 'live-amazon']) {
    expect(bodies).toContain(secret)
  }
})

describe('the output does not depend on the values of secrets', () => {
  it.each(secretMaskings)('with hidden: %s', async hiddenSecrets => {
    expect(await differences(await trial({ switches: { hiddenSecrets } }))).toEqual([])
  })

  it('with live WLANs without secrets', async () => {
    expect(await differences(await trial({ sites: [withoutKeys] }))).toEqual([])
  })
})
