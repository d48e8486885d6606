import { expect, it } from 'vitest'
import { findKinds, type GroupName } from '../../../src/core/audit/kinds.ts'

/** Some sites with the same networks, each network as a letter. */
type Sites = readonly [names: string | readonly string[], networks: string]

/** `clinic-1…25` are 25 names. */
function namesOf(names: string | readonly string[]): readonly string[] {
  if (typeof names !== 'string') return names
  const [, stem = names, first, last] = names.match(/^(.*?)(\d+)…(\d+)$/) ?? []
  if (first === undefined) return [names]
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => {
    return `${stem}${String(Number(first) + n).padStart(first.length, '0')}`
  })
}

const cities = ['Wien', 'Graz', 'Linz', 'Bern', 'Basel', 'Rom', 'Mailand', 'Turin', 'Genua', 'Pisa']
const halls = ['Library', 'Chemistry', 'Dorm A', 'Dorm B', 'Sports Hall', 'Mensa', 'Rectorate']

it.each<[estate: string, sites: Sites[], kinds: string[], names?: GroupName[]]>([
  [
    'a hospital group, with odd sites in the lists of their kinds',
    [
      ['hospital-1…3', 'CGMVX'],
      ['clinic-01…22', 'CGMV'],
      // One lacks a network, one misspells it, one has one more, one has the networks of an office, one has none.
      ['clinic-23', 'CGM'],
      ['clinic-24', 'CMVg'],
      ['clinic-25', 'CGMVX'],
      ['clinic-26', 'CG'],
      ['clinic-27', ''],
      ['lab-1…6', 'CL'],
      ['office-1…5', 'CG'],
      ['hq', 'CGL']
    ],
    ['27 clinics CGMV', '6 labs CL', '5 offices CG', '3 hospitals CGMVX', '1 hq CGL']
  ],
  [
    'a retail chain with two formats of the same name',
    [
      ['store-001…030', 'CGPT'],
      ['store-031…042', 'CP'],
      ['store-043', 'CGP'],
      ['store-044', 'CPX']
    ],
    ['31 stores CGPT', '13 stores-without-g CP']
  ],
  [
    'a chain with two formats and a name for each',
    [
      ['acme-store-1…20', 'CGP'],
      ['acme-express-1…9', 'CP'],
      ['acme-store-21', 'CP'],
      ['acme-express-10', 'CGP']
    ],
    ['21 acme-stores CGP', '10 acme-express CP']
  ],
  [
    'schools, some of them with a network for boarders',
    [
      ['Primary School 1…12', 'STG'],
      ['High School 1…6', 'STGB'],
      ['High School 7', 'STB']
    ],
    ['12 primary-schools STG', '7 high-schools BGST']
  ],
  [
    'hotels with names of their own',
    [
      [cities.slice(0, 8), 'GSR'],
      ['Pisa', 'GS']
    ],
    ['9 sites GSR']
  ],
  [
    'one big campus',
    [
      [halls, 'EG'],
      ['Observatory', 'E']
    ],
    ['8 sites EG']
  ],
  [
    'offices that are all different',
    [
      ['Office Wien', 'ABC'],
      ['Office Graz', 'ADE'],
      ['Office Linz', 'BDF'],
      ['Office Bern', 'AF']
    ],
    ['1 office-bern AF', '1 office-graz AD', '1 office-linz BDF', '1 office-wien AB']
  ],
  [
    'a kind with a requested name, which most of its sites fit',
    [
      ['a-1…9', 'CG'],
      ['b-1', 'CG'],
      ['c-1…2', 'X']
    ],
    ['10 wards CG', '2 sites-without-c X'],
    [
      { name: 'wards', glob: 'a-*' },
      { name: 'others', glob: 'b-*' }
    ]
  ]
])('%s', (_, sites, kinds, names = []) => {
  const all = sites.flatMap(([some, networks]) =>
    namesOf(some).map(name => ({ name, networks: [...networks] }))
  )
  for (const estate of [all, all.toReversed()]) {
    const found = findKinds(estate, ({ networks }) => networks, names)
    const shown = found.map(kind => {
      expect(kind.sites.map(({ name }) => name)).toEqual(kind.sites.map(({ name }) => name).sort())
      return `${kind.sites.length} ${kind.name} ${kind.networks.join('')}`
    })
    expect(shown.sort()).toEqual(kinds.map(sorted).sort())
  }
})

/** The letters of networks in order. */
function sorted(kind: string): string {
  return kind.replace(/\w*$/, letters => [...letters].sort().join(''))
}
