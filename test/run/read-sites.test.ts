import { describe, expect, it } from 'vitest'
import type { Site } from '../../src/core/model/desired.ts'
import type { LiveSite, UnreadSite } from '../../src/core/model/live.ts'
import type { RunEvent } from '../../src/run/context.ts'
import { readSitesAsTask } from '../../src/run/read-sites.ts'
import { clients, nth, SITE, WLAN } from '../service/support.ts'
import { rawResponse, rawServer } from '../support/raw-server.ts'

const LOST = { id: nth(0xa), name: 'lost' }
const OTHER = { id: nth(0xb), name: 'other' }
const sites = [SITE, LOST, OTHER]

/** A context that logs its events, and a service with one WLAN for each site except for `LOST`. */
async function stage() {
  const events: RunEvent[] = []
  const on = (event: RunEvent) => void events.push(event)
  const good = rawResponse('200 OK', {}, JSON.stringify([{ id: WLAN, ssid: 'Corp' }]))
  const server = await rawServer(line =>
    line.includes(LOST.id) ? rawResponse('404 Not Found', {}, '{}') : good
  )
  return { events, run: { on }, reader: clients(server.url).reader }
}

const nameOf = ({ name }: Site) => name

describe('the sites of a run', () => {
  it('are a task with a step for each, and are returned in their order', async () => {
    const { events, run, reader } = await stage()
    const reading = { parallelism: 1, visit: nameOf }
    expect(await readSitesAsTask(reader, sites, reading, run)).toEqual(sites.map(nameOf))
    const task = expect.objectContaining({ doing: 'reading sites', total: 3, requests: 3 })
    expect(events[0]).toEqual({ type: 'started', task })
    const steps = events.flatMap(event => (event.type === 'step' ? event.text : []))
    expect(steps.sort()).toEqual(['hq: 1 WLAN read', 'lost: not read', 'other: 1 WLAN read'])
    expect(events.at(-1)).toEqual({ type: 'ended' })
  })

  it('have steps and counts that describe the result of the visit', async () => {
    const { events, run, reader } = await stage()
    const visit = (_: Site, live: LiveSite | UnreadSite) => ('wlans' in live ? 7 : 0)
    const stepOf = ({ wlans }: LiveSite, result: number) =>
      [`${wlans.length} of ${result}`, { 'to change': result }] as const
    await readSitesAsTask(reader, sites, { parallelism: 1, visit, stepOf }, run)
    expect(events).toContainEqual({ type: 'step', text: 'hq: 1 of 7', found: { 'to change': 7 } })
    expect(events).toContainEqual({ type: 'step', text: 'lost: not read', found: undefined })
  })

  it('end the progress if a visit throws', async () => {
    const { events, run, reader } = await stage()
    const visit = () => {
      throw new Error('full')
    }
    const reading = readSitesAsTask(reader, sites, { parallelism: 1, visit }, run)
    await expect(reading).rejects.toThrow('full')
    expect(events.at(-1)).toEqual({ type: 'ended' })
  })
})
