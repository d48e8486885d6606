import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formats } from '../../src/report/formats.ts'
import { fleetOf } from '../fleet/fleet.ts'
import { wlanctl } from '../support/program.ts'
import { dayOf } from '../support/reports.ts'

const day = (date: string, ...wlans: readonly string[]) =>
  formats.json({
    kind: 'drift',
    plan: dayOf(`${date}T05:00:00Z`, Object.fromEntries(wlans.map(wlan => [wlan, ['ssid']])))
  })

const reports = {
  'reports/2026-11-18.json': day('2026-11-18', 'hq/guest', 'hq/corp', 'kiel/guest'),
  'reports/2026-11-19.json': day('2026-11-19', 'hq/guest'),
  'reports/2026-11-20.json': day('2026-11-20', 'hq/guest', 'hq/corp')
}

describe('show --history', () => {
  it('prints text', async () => {
    const cwd = fleetOf(reports)
    const { code, stdout, stderr } = await wlanctl(['show', '--history', 'reports'], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatchInlineSnapshot(`
      "Reports
        when                     drifted  unmanaged  failed  file
        2026-11-18 05:00:00 UTC        3          0       0  2026-11-18.json
        2026-11-19 05:00:00 UTC        1          0       0  2026-11-19.json
        2026-11-20 05:00:00 UTC        2          0       0  2026-11-20.json

      Sites that drift most
        hq    in 3 of 3 reports  2 WLANs now
        kiel  in 1 of 3 reports  not now

      Fields that drift most
        ssid  in 3 of 3 reports  2 WLANs now

      3 reports on https://api.example.com, 2026-11-18 05:00:00 UTC to 2026-11-20 05:00:00 UTC
      Drifted    2, 1 more than before  █▃▆
      Unmanaged  0, unchanged  ▁▁▁
      Failed     0, unchanged  ▁▁▁
      "
    `)
  })

  it('prints JSON, and writes a page', async () => {
    const cwd = fleetOf(reports)
    const line = 'show --history reports --format json --report html=h.html'
    const { code, stdout } = await wlanctl(line.split(' '), { cwd })
    expect(code).toBe(0)
    expect(readFileSync(join(cwd, 'h.html'), 'utf8')).toContain(
      '<h1>2 networks differ, 1 more than before</h1>'
    )
    const { format, reports: summaries, sites, fields } = JSON.parse(stdout)
    expect(format).toBe('wlanctl-history/1')
    expect(summaries.map(({ drifted }: { drifted: number }) => drifted)).toEqual([3, 1, 2])
    expect(sites[0]).toEqual({ site: 'hq', reports: 3, wlans: 5, now: 2 })
    expect(fields).toEqual([{ pointer: '/ssid', reports: 3, wlans: 6, now: 2 }])
  })

  it('uses its default format if WLANCTL_FORMAT is not one of its formats', async () => {
    const cwd = fleetOf(reports)
    const line = ['show', '--history', 'reports']
    const ended = await wlanctl(line, { cwd, env: { WLANCTL_FORMAT: 'github' } })
    expect(ended).toEqual(await wlanctl(line, { cwd }))
    expect(ended.code).toBe(0)
  })

  it('skips files that are no reports, and names them', async () => {
    const cwd = fleetOf({
      ...reports,
      'reports/broken.json': '{"format":',
      'reports/edited.json': day('2026-11-17', 'hq/guest').replace('"value": 2', '"value": 3'),
      'reports/notes.txt': 'not looked at',
      'elsewhere.json': day('2026-11-17', 'elsewhere/guest')
    })
    symlinkSync(join(cwd, 'elsewhere.json'), join(cwd, 'reports/link.json'))
    mkdirSync(join(cwd, 'reports/folder.json'))
    const { code, stdout } = await wlanctl(['show', '--history', 'reports', '--format', 'json'], {
      cwd
    })
    expect(code).toBe(0)
    const { reports: summaries, findings } = JSON.parse(stdout)
    expect(summaries).toHaveLength(3)
    expect(findings.map(({ message }: { message: string }) => message)).toEqual([
      '"broken.json" is not part of the history: invalid JSON, or a duplicate key',
      '"edited.json" is not part of the history: the digest does not match the content'
    ])
  })

  it.each([
    ['show --history empty --format summary', /formats: text, json, html\n/],
    ['show --history nowhere', /nowhere cannot be read: it does not exist\n/],
    ['show --history empty', /empty has no readable report/],
    ['show --history reports --format junit', /expected a format for --history, got junit/],
    [
      'show --history reports --report prometheus=p',
      /expected a format for --history, got prometheus/
    ],
    ['show --history reports reports/2026-11-18.json', /expected files or --history, got both/],
    ['show', /nothing to show/]
  ])('%s: is rejected', async (line, said) => {
    const cwd = fleetOf({ ...reports, 'empty/readme.md': '' })
    const { code, stdout, stderr } = await wlanctl(line.split(' '), { cwd })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(said)
  })
})
