import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takeOver } from '../../../src/author/adopt/unmanaged.ts'
import { matchSite, undeclaredWlans } from '../../../src/core/diff/match.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import { applyEdits } from '../../../src/core/values/text.ts'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import { referencesOnly } from '../../../src/fleet/secrets/source.ts'
import { nth } from '../../support/ids.ts'
import { runs } from '../../support/properties.ts'
import { hostileSite, MARK } from '../import/estates.ts'
import { planned } from '../import/import.ts'

const forms: readonly ((id: string) => Readonly<Record<string, string>>)[] = [
  id => ({ 'hq.yaml': `site: { id: ${id}, name: hq }   # the oldest\n` }),
  id => ({ 'hq.yaml': `site:\r\n  id: ${id}\r\n  name: hq\r\n\r\nwlans: {}\r\n` }),
  id => ({ 'hq.yaml': `{"site": {"id": "${id}", "name": "hq"}}` }),
  id => ({
    'lists/all.yaml': `sites:\n  - { id: ${id}, name: hq }\n  - { id: ${nth(900)}, name: lab }\n`
  })
]

/** The files after all unmanaged WLANs of a site are adopted. */
async function taken(files: Readonly<Record<string, string>>, live: LiveSite) {
  const { desired } = await loadTexts(new Map(Object.entries(files)))
  const [site] = desired?.sites ?? []
  if (site === undefined) throw new Error('the files are wrong')
  const sources = Object.entries(files).map(([file, text]) => new Source(file, file, text))
  for (const source of sources) await parseSource(source)
  const result = await takeOver({
    sites: [[site, live]],
    addresses: ['hq/*'],
    sources,
    secretPrefix: 'WLAN_SECRET_',
    secrets: referencesOnly()
  })
  const edited = result.adoption.files.map(
    ({ file, before, edits }) => [file, applyEdits(before, edits)] as const
  )
  return { ...result, texts: new Map([...Object.entries(files), ...edited]) }
}

describe('unmanaged WLANs, whatever the service lists', () => {
  it('are declared with an empty plan, and keep the other bytes of the file', async () => {
    let wlans = 0
    await fc.assert(
      fc.asyncProperty(hostileSite, fc.constantFrom(...forms), async (live, form) => {
        const files = form(live.site.id)
        const { desired } = await loadTexts(new Map(Object.entries(files)))
        const [site] = desired?.sites ?? []
        const own = live.wlans.filter(({ record }) => record['template_id'] === undefined)
        fc.pre(site !== undefined && own.length === live.wlans.length)
        const { adoption, secrets, texts, findings } = await taken(files, live)
        const plan = await planned(texts, secrets, [live])
        const all = (adoption.taken ?? []).map(({ address }) => [address, 'unchanged'])
        expect(plan).toEqual(Object.fromEntries(all))
        expect(all.length + findings.filter(({ code }) => code === 'IMPORT_TOO_LARGE').length).toBe(
          live.wlans.length
        )
        expect([...texts.values()].join()).not.toContain(MARK)
        wlans += all.length
      }),
      runs(40)
    )
    expect(wlans).toBeGreaterThan(0)
  }, 60_000)

  it('are declared in a file of each site, even if names differ only in case', async () => {
    const ids = [nth(0), nth(1)]
    const names = ['Store A', 'store a']
    const items = ids.map((id, n) => `  - { id: ${id}, name: ${names[n]} }\n`)
    const text = `sites:\n${items.join('')}`
    const { desired } = await loadTexts(new Map([['all.yaml', text]]))
    const source = new Source('all.yaml', 'all.yaml', text)
    await parseSource(source)
    const { adoption } = await takeOver({
      sites: (desired?.sites ?? []).map(site => {
        const wlan = { id: nth(site.id === ids[0] ? 10 : 11), ssid: 'IoT', readAt: 0 }
        return [site, { site, wlans: [{ ...wlan, record: { ssid: 'IoT' } }] }]
      }),
      addresses: ['*/IoT'],
      sources: [source],
      secretPrefix: 'WLAN_SECRET_',
      secrets: referencesOnly()
    })
    expect(adoption.taken?.map(({ address, file }) => [address, file])).toEqual([
      ['Store A/iot', 'store-a.yaml'],
      ['store a/iot', 'store-a-2.yaml']
    ])
  })

  it('are reported as none if each is declared or inherited', async () => {
    const text = `site: { id: ${nth(0)}, name: hq }\nwlans: { a: { ssid: A } }\n`
    const { desired } = await loadTexts(new Map([['hq.yaml', text]]))
    const wlan = (n: number, ssid: string, record: object = {}) => {
      return { id: nth(n), ssid, record: { ssid, ...record }, readAt: 0 }
    }
    const live = {
      site: { id: nth(0), name: 'hq' },
      wlans: [wlan(1, 'A'), wlan(2, 'B', { template_id: nth(5) })]
    }
    const [site] = desired?.sites ?? []
    expect(site && undeclaredWlans(matchSite(site, live), live).map(({ ssid }) => ssid)).toEqual([
      'B'
    ])
    await expect(taken({ 'hq.yaml': text }, live)).rejects.toThrow('no unmanaged WLAN matches')
  })
})
