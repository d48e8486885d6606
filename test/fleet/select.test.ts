import { describe, expect, it } from 'vitest'
import { nth } from '../support/ids.ts'
import { lines, load } from './fleet.ts'
import { revisionOf } from './since/revision.ts'

const names = ['lab-1', 'lab-2', 'store-1', 'store-2', 'a/b c', '.hidden']

const fleet = (policy = '', vlan = 1) => ({
  'sites.yaml': `sites:
${names.map((name, n) => `  - { id: ${nth(n + 1)}, name: "${name}" }\n`).join('')}wlans: { w: { ssid: A, vlan_id: ${vlan} }, v: { ssid: B } }
${policy}`
})

async function selected(options: object, policy = '') {
  const { desired, findings } = await load(fleet(policy), options)
  const wlans = desired?.sites.flatMap(site => site.wlans.filter(({ excluded }) => !excluded))
  return {
    sites: desired?.sites.map(({ name }) => name),
    wlans: wlans?.length,
    found: lines(findings)
  }
}

describe('a selection', () => {
  it.each<[what: string, options: object, sites: readonly string[]]>([
    ['a class', { sites: ['store-[12]'] }, ['store-1', 'store-2']],
    ['alternatives', { sites: ['{lab,store}-1'] }, ['lab-1', 'store-1']],
    ['the excluded names', { sites: ['!lab*', '!store*'] }, ['.hidden', 'a/b c']],
    ['both', { sites: ['*-1', '!lab*'] }, ['store-1']],
    [
      'a star for any name',
      { sites: ['*'] },
      ['.hidden', 'a/b c', 'lab-1', 'lab-2', 'store-1', 'store-2']
    ],
    ['an id', { sites: [`!${nth(1)}`, '!*-2', '!.*'] }, ['a/b c', 'store-1']],
    ['excluded sites', { excludedSites: ['lab-*', 'a*'] }, ['.hidden', 'store-1', 'store-2']],
    ['sites less the excluded ones', { sites: ['lab*'], excludedSites: ['*-2'] }, ['lab-1']]
  ])('selects %s', async (_, options, sites) => {
    expect(await selected(options)).toMatchObject({ sites, found: [] })
  })

  it('of WLANs uses the same globs', async () => {
    expect(await selected({ wlans: ['!w'] })).toMatchObject({ wlans: 6, found: [] })
    expect(await selected({ wlans: ['lab-1/*', '!*/w'] })).toMatchObject({
      sites: ['lab-1'],
      wlans: 1
    })
  })

  it.each([
    ['a site', { sites: ['!nope'] }],
    ['an excluded site', { excludedSites: ['nope'] }],
    ['a WLAN', { wlans: ['!nope'] }]
  ])('that matches no %s is an error', async (_, options) => {
    expect((await selected(options)).found).toEqual(['- NOTHING_SELECTED'])
  })

  it.each<[options: object, near: string | undefined]>([
    [{ sites: ['STORE-1'] }, 'store-1'],
    [{ sites: ['!sotre-2'] }, 'store-2'],
    [{ excludedSites: ['lab1'] }, 'lab-1'],
    [{ wlans: ['lab-1/x'] }, 'lab-1/v'],
    [{ wlans: ['W'] }, 'w'],
    [{ sites: ['store*-1-'] }, undefined],
    [{ sites: ['elsewhere'] }, undefined]
  ])('of an unknown name suggests the nearest one: %j', async (options, near) => {
    const { findings } = await load(fleet(), options)
    expect(findings).toMatchObject([
      {
        hint:
          near === undefined
            ? expect.stringMatching(/^a glob must match/)
            : `did you mean "${near}"?`
      }
    ])
  })
})

describe('an empty selection', () => {
  it.each([
    ['of ids', { sites: [`!${nth(1).slice(0, -1)}?`] }],
    ['that excludes its own matches', { sites: ['lab*', '!lab-*'] }],
    ['with all sites excluded', { excludedSites: ['*'] }],
    ['with all WLANs excluded', { wlans: ['!w', '!v'] }],
    ['with WLANs of another site', { sites: ['lab*'], wlans: ['*/w', '!lab*'] }]
  ])('%s is an error, although each glob has a match', async (_, options) => {
    expect((await selected(options)).found).toEqual(['- NOTHING_SELECTED'])
  })

  it('of a shard is valid', async () => {
    const { found } = await selected({ sites: ['lab-1'], shard: { number: 1, of: 64 } })
    expect(found).toEqual([])
  })
})

describe('sites that the policy excludes', () => {
  const policy = (until: string, site = 'lab*', more = 'reason: moved,') =>
    `policy: { excluded_sites: [{ site: "${site}", ${more} until: ${until} }] }\n`
  const now = () => new Date('2026-11-22T10:00:00Z')

  it.each([
    ['before the day', '2027-01-31'],
    ['on the day', '2026-11-22']
  ])('are not read %s, and are reported', async (_, until) => {
    const { desired, findings } = await load(fleet(policy(until)), { now })
    expect(desired?.sites.map(({ name }) => name)).toEqual([
      '.hidden',
      'a/b c',
      'store-1',
      'store-2'
    ])
    expect(findings.map(({ level, message }) => `${level} ${message}`)).toEqual([
      `warning 2 sites excluded by the policy until ${until} (moved): lab-1, lab-2`
    ])
  })

  it('may be all sites of the fleet', async () => {
    const { desired, findings } = await load(fleet(policy('2027-01-31', '*')), { now })
    expect(desired?.sites).toEqual([])
    expect(findings.map(({ code }) => code)).toEqual(['SITES_EXCLUDED'])
  })

  it.each([
    [
      'expired',
      policy('2026-11-21'),
      'EXCLUSION_EXPIRED',
      'the exclusion of "lab*" ended on 2026-11-21'
    ],
    [
      'no date',
      policy('2026-02-30'),
      'DATE_INVALID',
      'expected a date such as 2027-01-31, got "2026-02-30"'
    ],
    [
      'without a reason',
      policy('2027-01-01', 'lab*', ''),
      'EXCLUSION_INCOMPLETE',
      'the excluded site has no `reason`'
    ],
    [
      'of no site',
      policy('2027-01-01', 'nope'),
      'EXCLUSION_WITHOUT_SITES',
      '"nope" excludes no site'
    ]
  ])('%s is reported', async (_, text, code, message) => {
    const { findings, desired } = await load(fleet(text), { now })
    expect(findings).toMatchObject([{ code, message, place: { file: 'sites.yaml' } }])
    expect(desired === undefined).toBe(findings[0]?.level === 'error')
  })

  it('are not counted as changed, and keep their waves', async () => {
    const files = fleet(policy('2027-01-31'), 2)
    const since = async () => revisionOf(fleet())
    const { desired } = await load(files, { now, since })
    expect(desired?.sites.map(({ name }) => name)).toEqual([
      '.hidden',
      'a/b c',
      'store-1',
      'store-2'
    ])
  })
})
