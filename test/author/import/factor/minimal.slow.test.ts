import { expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import type { LiveSite } from '../../../../src/core/model/live.ts'
import { loadTexts } from '../../../../src/fleet/load.ts'
import { referencesOnly } from '../../../../src/fleet/secrets/source.ts'
import { estate, estates } from '../../../core/audit/estate.ts'
import { liveSite } from '../estates.ts'
import { textsOf } from '../import.ts'
import { acmeEstate } from './acme.ts'
import { layersOf } from './factored.ts'

type Path = readonly unknown[]

/** What a site needs, and what only names it. */
const NEEDED =
  /^sites?(\.\d+)?(\.(id|name|groups.*|vars|wlans))?$|^(groups|profiles|wlans)(\.[^.]+)?$|\.\$extends$|\.id$/

/** The places in a file that could be left out. */
function placesIn(node: unknown, path: Path = []): Path[] {
  const isCollection = typeof node === 'object' && node !== null
  const below = isCollection
    ? Object.entries(node).flatMap(([name, inner]) => placesIn(inner, [...path, name]))
    : []
  return NEEDED.test(path.join('.')) || path.length === 0 ? below : [path, ...below]
}

/** The effective WLANs of the files, as `explain --as json` shows them; undefined if they are invalid. */
async function effective(texts: ReadonlyMap<string, string>): Promise<string | undefined> {
  const { desired } = await loadTexts(texts, referencesOnly('WLAN_SECRET_'))
  return (
    desired &&
    JSON.stringify(
      desired.sites.map(({ id, wlans }) => [
        id,
        wlans.map(({ key, managed, fields, id: own }) => [key, managed, own, fields])
      ])
    )
  )
}

/** The places of the files that could be left out. */
async function uselessIn(texts: ReadonlyMap<string, string>): Promise<string[]> {
  const before = await effective(texts)
  const useless: string[] = []
  for (const [file, text] of texts) {
    for (const path of placesIn(parseDocument(text).toJS())) {
      const document = parseDocument(text)
      document.deleteIn(path)
      const after = await effective(new Map([...texts, [file, String(document)]]))
      if (after === before) useless.push(`${file}: ${path.join('.')}`)
    }
  }
  return useless
}

/** Every second site, for speed. */
const half = <T>(_: T, n: number) => n % 2 === 0

it.each<[name: string, fleet: readonly LiveSite[]]>([
  ['stores in two regions', acmeEstate().filter(half)],
  ...Object.keys(estates).map((name): [string, LiveSite[]] => {
    const sites = estate(name).filter(half)
    return [name, sites.map(({ wlans, ...site }) => liveSite(site, wlans))]
  })
])(
  'the files of %s have no value without an effect',
  async (_, fleet) => {
    const texts = textsOf(await layersOf(fleet))
    expect(await uselessIn(texts)).toEqual([])
  },
  300_000
)

it('a variable without an effect is found', async () => {
  const texts = textsOf(await layersOf(acmeEstate(3)))
  const planted = texts.get('labs.yaml')?.replace('vars: { ', 'vars: { unused: 1, ') ?? ''
  expect(await uselessIn(new Map([...texts, ['labs.yaml', planted]]))).toEqual([
    'labs.yaml: sites.0.vars.unused'
  ])
}, 60_000)
