import { expect, test } from 'vitest'
import { defaultLintPolicy } from '../../../src/core/model/defaults.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import { lintDeclared } from '../../../src/run/checks/run-linter.ts'
import { HQ, nth } from '../../support/ids.ts'
import { tablesIn } from '../../support/tables.ts'

interface Row {
  readonly wlan: string
  readonly profile?: string
  readonly override?: string
  readonly vars?: string
  /** The findings about values without effect, with their places. */
  readonly found: readonly string[]
}

const rows = tablesIn<Readonly<Record<string, Row>>>(import.meta.dirname, 'overridden.yaml')

test.each(Object.entries(rows))(
  'a declared value without effect: %s',
  async (_, { profile, wlan, override, vars, found }) => {
    const site = `id: ${HQ}, name: hq, vars: { ${vars ?? ''} }`
    const fields = ['ssid: Corp', ...(profile ? ['$extends: base'] : []), wlan].join(', ')
    const texts = new Map([
      ['profiles.yaml', `profiles:\n  base: { ${profile ?? ''} }\n`],
      [
        'hq.yaml',
        override === undefined
          ? `{ site: { ${site} }, wlans: { w: { ${fields} } } }`
          : `{ sites: [{ ${site}, wlans: { w: { ${override} } } }], wlans: { w: { ${fields} } } }`
      ]
    ])
    if (profile === undefined) texts.delete('profiles.yaml')
    const { desired } = await loadTexts(texts)
    if (desired === undefined) throw new Error('the files are invalid')
    const { findings } = lintDeclared(desired, defaultLintPolicy)
    expect(findings.map(({ place, rule }) => `${place?.file}:${place?.line} ${rule}`)).toEqual(
      found
    )
  }
)

test('sites that share a declaration have findings of their own, with the override of a site', async () => {
  const wlans = 'wlans:\n  w: { $extends: base, ssid: Corp, vlan_enabled: false }\n'
  const fileOf = (n: number, more = '') =>
    `site: { id: ${nth(n)}, name: site-${n}${more} }\n${wlans}` as const
  const texts = new Map([
    ['profiles.yaml', 'profiles:\n  base: { vlan_id: 20 }\n'],
    ['1.yaml', fileOf(1)],
    ['2.yaml', fileOf(2, ', wlans: { w: { vlan_id: 30 } }')],
    ['3.yaml', fileOf(3)]
  ])
  const { desired } = await loadTexts(texts)
  if (desired === undefined) throw new Error('the files are invalid')
  const { findings } = lintDeclared(desired, defaultLintPolicy)
  expect(findings).toMatchObject([
    { rule: 'vlan-not-enabled', address: 'site-2/w', place: { file: '2.yaml', line: 1 } }
  ])
})

test('a finding stands at the exception of a site, not in the profile of all', async () => {
  const open = 'auth: { type: open }, enabled: true, apply_to: site, isolation: true'
  const sites = [1, 2].map(n => {
    const override = n === 2 ? ', wlans: { w: { isolation: false } }' : ''
    return `  - { id: ${nth(n)}, name: site-${n}${override} }\n`
  })
  const texts = new Map([
    ['profiles.yaml', `profiles:\n  base: { ${open} }\n`],
    ['sites.yaml', `wlans:\n  w: { $extends: base, ssid: Lobby }\nsites:\n${sites.join('')}`]
  ])
  const { desired } = await loadTexts(texts)
  if (desired === undefined) throw new Error('the files are invalid')
  expect(lintDeclared(desired, defaultLintPolicy).findings).toMatchObject([
    { rule: 'open-without-isolation', place: { file: 'sites.yaml', line: 5 } }
  ])
})
