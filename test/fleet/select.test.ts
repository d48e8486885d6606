import { describe, expect, it } from 'vitest'
import { nth } from '../support/ids.ts'
import { lines, load } from './fleet.ts'

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

  it('of WLANs excludes the others of a site', async () => {
    const { desired } = await load(fleet(), { sites: ['lab-1'], wlans: ['w'] })
    const [{ wlans = [] } = {}] = desired?.sites ?? []
    expect(wlans.map(({ key, excluded }) => [key, excluded])).toEqual([
      ['v', true],
      ['w', undefined]
    ])
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
