import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rolloutOf } from '../../../src/core/plan/planned-waves.ts'
import { changeOf } from '../../report/plans.ts'

const change = (address: string) => changeOf(address, undefined, { dtim: [1, 2] })

describe('the rollout of a plan', () => {
  const waves = [
    { name: 'canary', sites: ['hq'] },
    { name: 'few', sites: ['a', 'b'] },
    { sites: ['c'] }
  ]

  it('contains the sites with changes, and every declared wave', () => {
    const changes = ['b/x', 'b/y', 'hq/x'].map(change)
    expect(
      rolloutOf(
        waves,
        changes.map(({ site }) => site.name)
      )
    ).toEqual([
      { name: 'canary', sites: ['hq'] },
      { name: 'few', sites: ['b'] }
    ])
    expect(rolloutOf(waves, [])).toEqual([
      { name: 'canary', sites: [] },
      { name: 'few', sites: [] }
    ])
  })

  it('ends with the sites without a wave, if one of them has changes', () => {
    expect(rolloutOf(waves, [change('c/x').site.name])).toEqual([
      { name: 'canary', sites: [] },
      { name: 'few', sites: [] },
      { sites: ['c'] }
    ])
  })

  it('contains each site with changes once', () => {
    const site = fc.constantFrom('hq', 'a', 'b', 'c')
    fc.assert(
      fc.property(fc.array(site), sites => {
        const changes = sites.map((name, at) => change(`${name}/w${at}`))
        const held = rolloutOf(
          waves,
          changes.map(({ site }) => site.name)
        ).flatMap(wave => wave.sites)
        expect(held.sort()).toEqual([...new Set(sites)].sort())
      })
    )
  })
})
