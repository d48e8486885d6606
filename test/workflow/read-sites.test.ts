import { describe, expect, it } from 'vitest'
import type { Site } from '../../src/model/desired.ts'
import type { LiveSite, UnreadSite } from '../../src/model/live.ts'
import { readSitesWithProgress } from '../../src/workflow/read-sites.ts'
import { clients, nth, SITE, WLAN } from '../api/support.ts'
import { rawResponse, rawServer } from '../support/raw-server.ts'

const LOST = { id: nth(0xa), name: 'lost' }
const OTHER = { id: nth(0xb), name: 'other' }
const sites = [SITE, LOST, OTHER]

/** A host that logs its calls, and a service with one WLAN for each site except for `LOST`. */
async function stage() {
  const calls: (readonly unknown[])[] = []
  const host = {
    printEstimate: async (count: number) => void calls.push(['estimate', count]),
    startProgress: ({ doing, total }: { readonly doing: string; readonly total: number }) => {
      calls.push(['start', doing, total])
      return {
        step: (...step: readonly unknown[]) => void calls.push(step),
        end: () => void calls.push(['end'])
      }
    }
  }
  const good = rawResponse('200 OK', {}, JSON.stringify([{ id: WLAN, ssid: 'Corp' }]))
  const server = await rawServer(line =>
    line.includes(LOST.id) ? rawResponse('404 Not Found', {}, '{}') : good
  )
  return { calls, host, reader: clients(server.url).reader }
}

const nameOf = ({ name }: Site) => name

describe('the sites of a run', () => {
  it('are read after the estimate, with a step for each, and returned in their order', async () => {
    const { calls, host, reader } = await stage()
    const reading = { parallelism: 1, visit: nameOf }
    expect(await readSitesWithProgress(reader, sites, reading, host)).toEqual(sites.map(nameOf))
    expect(calls.slice(0, 2)).toEqual([
      ['estimate', 3],
      ['start', 'reading sites', 3]
    ])
    expect(calls.slice(2, -1).map(String).sort()).toEqual([
      'hq: 1 WLAN read,',
      'lost: not read,',
      'other: 1 WLAN read,'
    ])
    expect(calls.at(-1)).toEqual(['end'])
  })

  it('have steps and counts that describe the result of the visit', async () => {
    const { calls, host, reader } = await stage()
    const visit = (_: Site, live: LiveSite | UnreadSite) => ('wlans' in live ? 7 : 0)
    const stepOf = ({ wlans }: LiveSite, result: number) =>
      [`${wlans.length} of ${result}`, { 'to change': result }] as const
    await readSitesWithProgress(reader, sites, { parallelism: 1, visit, stepOf }, host)
    expect(calls).toContainEqual(['hq: 1 of 7', { 'to change': 7 }])
    expect(calls).toContainEqual(['lost: not read', undefined])
  })

  it('end the progress if a visit throws', async () => {
    const { calls, host, reader } = await stage()
    const visit = () => {
      throw new Error('full')
    }
    const reading = readSitesWithProgress(reader, sites, { parallelism: 1, visit }, host)
    await expect(reading).rejects.toThrow('full')
    expect(calls.at(-1)).toEqual(['end'])
  })
})
