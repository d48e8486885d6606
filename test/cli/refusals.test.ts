import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/core/model/plan.ts'
import { pageText } from '../support/page-text.ts'
import { wlanctl } from '../support/program.ts'
import { FLEET, type Stage, stage } from '../support/stage.ts'

const PROTECTED = FLEET.replace('  corp:\n', '  corp:\n    $protect: true\n')

async function staged(fleet = PROTECTED): Promise<Stage> {
  const made = await stage()
  made.write('fleet/hq.yaml', fleet)
  return made
}

describe('a protected WLAN', () => {
  it('is excluded, and the others are applied', async () => {
    const made = await staged()
    expect(await made.run('apply fleet --yes --max-changes all')).toMatchObject({
      code: 5,
      stdout: expect.stringMatching(
        /skipped {2}Corp at hq[\s\S]*\$protect[\s\S]*change\s+before\s+this\s+one[\s\S]*1 applied, 1 skipped/
      )
    })
    expect(made.simulator.history).toHaveLength(1)
  })

  it('is skipped if there is no other change, and never called refused', async () => {
    const made = await staged(PROTECTED.replace('    enabled: false\n', ''))
    const { code, stdout, stderr } = await made.run('apply fleet --yes --wlan corp')
    expect(stdout).toContain('Apply: 1 skipped')
    expect(code).toBe(5)
    expect(stderr).toContain('Skipped: the network is protected (1)')
    expect(stderr).toContain('Left out by apply (1)')
    expect(stdout + stderr).not.toMatch(/refused/i)
    expect(made.simulator.history).toEqual([])
    expect(await made.run('plan fleet --wlan corp --detailed-exitcode')).toMatchObject({ code: 5 })
  })
})

describe('a plan with a protected WLAN and too many changes', () => {
  const fleet = `${PROTECTED}policy: { max_changes: 0 }\n`

  it('exits 4 with or without --detailed-exitcode', async () => {
    const made = await staged(fleet)
    expect(await made.run('plan fleet')).toMatchObject({ code: 4 })
    expect(await made.run('plan fleet --detailed-exitcode')).toMatchObject({ code: 4 })
    expect(await made.run('drift fleet')).toMatchObject({ code: 2 })
  })

  const formats = {
    text: /Refused by apply \(1\)[\s\S]*Left out by apply \(1\)[\s\S]*\nRefused: too many changes\. Left out: 1 protected WLAN\. Plan: 2/,
    markdown:
      /### 🔴 The changes [\s\S]*Refused: too many changes\.\*\* \*\*Left out: 1 protected WLAN\.\*\*\n[\s\S]*OVER_MAX_CHANGES/,
    html: /<title>Plan: [\s\S]*Refused: too many changes\. Left out: 1 protected WLAN\.<[\s\S]*<h2[^>]*>Refused by apply[\s\S]*<h2[^>]*>Left out by apply/,
    github:
      /::warning file=fleet\/hq\.yaml,[^\n]*title=PROTECTED::[\s\S]*\nRefused: too many changes\. Left out: 1 protected/,
    json: /"refusals": \[[\s\S]*"PROTECTED"[\s\S]*"OVER_MAX_CHANGES"[\s\S]*--max-changes 1/
  }

  it('lists the refusals in every format', async () => {
    const made = await staged(fleet)
    const reports = Object.keys(formats).map(format => `--report ${format}=${format}`)
    await made.run(`plan fleet ${reports.join(' ')}`)
    for (const [format, text] of Object.entries(formats)) expect(made.read(format)).toMatch(text)
  })
})

it('a broken rule names the key of the policy that allows it', async () => {
  const rule = '{ name: low, message: use 20, require: { properties: { vlan_id: { const: 20 } } } }'
  const made = await staged(`${FLEET}policy: { rules: [${rule}] }\n`)
  const { stdout } = await made.run('plan fleet')
  expect(stdout).toMatch(
    /Refused by apply \(1\)\n[\s\S]*`policy\.rules`[\s\S]*Refused: 1 broken rule\. /
  )
})

it('the verdict names missing sites first, then refusals', async () => {
  const made = await staged(`${PROTECTED}  lost: { ssid: Nowhere }\n`)
  const { stdout } = await made.run('plan fleet')
  expect(stdout).toMatch(
    /\nIncomplete: 1 WLAN blocked\. Left out: 1 protected WLAN\. Plan: 2 WLANs/
  )
})

describe('locations', () => {
  it.each([
    ['.', 'fleet', 'fleet/hq.yaml'],
    ['elsewhere', '../fleet', '../fleet/hq.yaml']
  ])(
    'relative to %s are those of %s in text output, and of the fleet in JSON',
    async (at, fleet, file) => {
      const made = await stage()
      made.write('elsewhere/keep', '')
      made.write('fleet/hq.yaml', `${FLEET}  lost: { ssid: Nowhere }\n`)
      const cwd = `${made.cwd}/${at}`
      const line = `plan ${fleet} --report json=plan.json --out saved.json`
      for (const format of ['text', 'markdown', 'github', 'html']) {
        const { stdout } = await wlanctl(`${line} --format ${format}`.split(' '), {
          cwd,
          env: made.env
        })
        const shown = format === 'html' ? pageText(stdout) : stdout
        const found = [...shown.matchAll(/[\w./-]*hq\.yaml/g)].map(([name]) => name)
        expect([format, [...new Set(found)]]).toEqual([format, [file]])
        expect(found.length).toBeGreaterThan(1)
      }
      for (const name of ['plan.json', 'saved.json']) {
        const text = made.read(`${at}/${name}`)
        const { changes, findings }: Plan = JSON.parse(text)
        const places = changes.flatMap(({ origin, places = {} }) => [
          origin,
          ...Object.values(places)
        ])
        const all = [...places, ...findings.flatMap(({ place }) => place ?? [])]
        expect(new Set(all.map(place => place.file))).toEqual(new Set(['hq.yaml']))
        expect(all.length).toBeGreaterThan(4)
      }
    }
  )
})
