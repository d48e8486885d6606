import { expect, it } from 'vitest'
import { loadTexts } from '../../src/config/load.ts'

const id = (n: number) => `4ac1dcf4-9d8b-4211-95c4-${String(n).padStart(12, '0')}`

/** Loads files that say the same of different sites; gives what is declared, and what is found. */
async function load(blocks: string, sites = 3) {
  const texts = Array.from({ length: sites }, (_, at): [string, string] => [
    `s${at}.yaml`,
    `site: { id: ${id(at)}, vars: { vlan: ${at + 1} } }\n${blocks}`
  ])
  const profiles = `profiles: { base: { dtim: 2, bands: ['24'], portal: { enabled: true } } }\n`
  const { desired, findings } = await loadTexts(new Map([...texts, ['z.yaml', profiles]]))
  return { wlans: desired?.sites.flatMap(site => site.wlans) ?? [], findings }
}

it('what files say alike is declared for each of them, at its own place', async () => {
  const { wlans } = await load('wlans:\n  a:\n    $extends: base\n    ssid: A\n  b: { ssid: B }\n')
  expect(wlans.map(({ address, origin, fields }) => [address, origin.file, fields])).toEqual(
    ['s0', 's1', 's2'].flatMap(site => [
      [
        `${site}/a`,
        `${site}.yaml`,
        { dtim: 2, bands: ['24'], portal: { enabled: true }, ssid: 'A' }
      ],
      [`${site}/b`, `${site}.yaml`, { ssid: 'B' }]
    ])
  )
})

it('what variables give is that of each site', async () => {
  const { wlans } = await load('wlans: { a: { ssid: A, vlan_id: { $var: vlan } } }\n')
  expect(wlans.map(({ fields }) => fields['vlan_id'])).toEqual([1, 2, 3])
})

it('what is wrong or odd with it is said of each file', async () => {
  const { findings } = await load('wlans: { a: { ssid: A, dtim: x, roam_mode: 11z } }\n')
  expect(findings.map(({ code, place }) => `${place?.file} ${code}`)).toEqual(
    ['s0', 's1', 's2'].flatMap(site => [
      `${site}.yaml FIELD_TYPE`,
      `${site}.yaml FIELD_VALUE_UNKNOWN`
    ])
  )
})
