import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LiveSite } from '../../src/core/model/live.ts'
import { isObject, type ValueObject } from '../../src/core/values/value.ts'
import { sitesIn, takeSnapshot } from '../../src/files/snapshot.ts'
import {
  formatSiteFile,
  parseSiteFile,
  siteFileNames,
  snapshotOfFiles
} from '../../src/files/snapshot-folder.ts'
import { wlanValue } from '../../src/service/live.ts'
import { nth } from '../support/ids.ts'
import { legalRecord } from '../support/legal-records.ts'
import { anyCharacter, runs } from '../support/properties.ts'

const baseUrl = 'https://api.example.net'
const context = { tool: 'wlanctl/0.1.0', created: '2026-11-20T10:00:00Z' }

const site: fc.Arbitrary<LiveSite> = fc
  .tuple(
    legalRecord(nth(1), 'Corp'),
    legalRecord(nth(2), 'Guest'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 })
  )
  .map(([corp, guest, name]) => ({
    site: { id: nth(9), name },
    wlans: [guest, corp].map(json => {
      const record = wlanValue(json) as ValueObject
      return { id: String(json['id']), ssid: String(json['ssid']), record, readAt: 0 }
    })
  }))

describe('the file of a site', () => {
  it('is read back as a snapshot of the same site, and written again with the same bytes', () => {
    fc.assert(
      fc.property(site, live => {
        const text = formatSiteFile(live, baseUrl)
        const file = { ...parseSiteFile(text, 'hq.json'), name: 'hq.json' }
        const read = sitesIn(snapshotOfFiles([file], 'estate', context))(live.site) as LiveSite
        expect(formatSiteFile(read, baseUrl)).toBe(text)
        const taken = sitesIn(takeSnapshot([live], { ...context, base_url: baseUrl, requests: 1 }))
        const fields = ({ wlans }: LiveSite) =>
          wlans.map(({ id, ssid, record }) => ({ id, ssid, record: timeless(record) }))
        expect(fields(read)).toEqual(fields(taken(live.site) as LiveSite))
      }),
      runs()
    )
  })
})

const timeless = ({ created_time, modified_time, ...record }: ValueObject) =>
  isObject(record) ? record : {}

describe('the name of the file of a site', () => {
  it.each([
    [['hq'], ['hq.json']],
    [['Store 12/b'], ['Store-12-b.json']],
    [['../../etc/passwd'], ['etc-passwd.json']],
    [
      ['.hidden', '...'],
      ['hidden.json', 'site-.json']
    ],
    [
      ['con', 'Zürich 店'],
      ['site-con.json', 'Zürich-店.json']
    ],
    [
      ['hq', 'HQ', 'lab'],
      [`hq-${nth(1)}.json`, `HQ-${nth(2)}.json`, 'lab.json']
    ]
  ])('%j: %j', (names, expected) => {
    const sites = names.map((name, n) => ({ id: nth(n + 1), name }))
    expect([...siteFileNames(sites).values()]).toEqual(expected)
  })

  it('is in the folder, differs from any other, and depends on nothing else', () => {
    const anyName = fc.string({ unit: anyCharacter, maxLength: 300 })
    fc.assert(
      fc.property(fc.array(anyName, { maxLength: 5 }), names => {
        const sites = names.map((name, n) => ({ id: nth(n + 1), name }))
        const files = siteFileNames(sites)
        expect(new Set([...files.values()].map(name => name.toLowerCase())).size).toBe(names.length)
        for (const name of files.values())
          expect(name).toMatch(/^[^./\\\0-\x1f][^/\\\0-\x1f]*\.json$/)
        expect(siteFileNames([...sites].reverse())).toEqual(files)
      }),
      runs()
    )
  })
})
