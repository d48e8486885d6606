import { describe, expect, it } from 'vitest'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { stage } from '../support/stage.ts'

describe('a declared WLAN that is not live', () => {
  const declare = (wlans: string) => `site: { id: ${HQ}, name: hq }\nwlans:\n${wlans}`
  const live = (...ssids: (string | [string, object])[]) => {
    const wlans = ssids.map((each, n) => {
      const [ssid, more] = typeof each === 'string' ? [each, {}] : each
      return { id: GUEST.replace(/..$/, String(10 + n)), ssid, portal: { enabled: true }, ...more }
    })
    return stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  }
  const REST =
    'or it may come from a template of the organization, whose networks are not in the list of a site'

  it('is renamed with the line of the hint', async () => {
    const made = await live('Guest')
    made.write('fleet/hq.yaml', declare('  a: { ssid: Guests }\n'))
    const { stdout } = await made.run('plan fleet --format json')
    const [, line] = /`(\$match: [^`]+)`/.exec(JSON.parse(stdout).findings[0].hint) ?? []
    made.write('fleet/hq.yaml', declare(`  a:\n    ${line}\n    ssid: Guests\n`))
    expect((await made.run('apply fleet --yes')).code).toBe(0)
    expect((await made.run('drift fleet')).code).toBe(0)
  })

  it('that was renamed by hand gets its name back with the command of the hint', async () => {
    const made = await live('Guest')
    made.write('fleet/hq.yaml', declare('  a: { ssid: Guest }\n'))
    await made.run('snapshot fleet --out before.json')
    made.simulator.edit(HQ, GUEST.replace(/..$/, '10'), { ssid: 'Meridian Geust' })
    const { stdout } = await made.run('plan fleet --format json')
    const [, command = ''] =
      /`wlanctl (revert [^`]+)`/.exec(JSON.parse(stdout).findings[0].hint) ?? []
    const line = command.replace('SNAPSHOT', 'before.json').replace('revert', 'revert fleet')
    expect(await made.run(`${line} --yes`)).toMatchObject({ code: 0 })
    expect((await made.run('drift fleet')).code).toBe(0)
  })

  it('is reported with the empty list of its site', async () => {
    const made = await live()
    made.write('fleet/hq.yaml', declare('  a: { ssid: Guests }\n'))
    const { stdout } = await made.run('plan fleet')
    expect(stdout).toContain('no live WLAN has the SSID "Guests": the list of the site is empty')
    expect(stdout.replace(/\s+/g, ' ')).toContain(REST)
    const worksheet = 'explain hq/a --fleet fleet --as worksheet'
    expect(stdout).toContain(`wlanctl ${worksheet}`)
    expect((await made.run(worksheet)).stdout).toContain('Guests')
    const imported = await made.run(`import ${HQ}`)
    expect(imported.stdout).toContain('the service lists no WLANs for the site [IMPORT_EMPTY]')
  })
})
