import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ImportedSecret } from '../../../src/author/import/secrets.ts'
import { type LintFinding, lint } from '../../../src/core/lint/lint.ts'
import type { LintSite } from '../../../src/core/lint/view.ts'
import { defaultLintPolicy } from '../../../src/core/model/defaults.ts'
import type { Desired } from '../../../src/core/model/desired.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import { isPolicyRefusal } from '../../../src/core/model/refusals.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import { liveWaivers } from '../../../src/run/checks/live-waivers.ts'
import { lintDeclared } from '../../../src/run/checks/run-linter.ts'
import { readSchema, strictAjv } from '../../schemas/schemas.ts'
import { nth } from '../../support/ids.ts'
import { legalRecord } from '../../support/legal-records.ts'
import { runs } from '../../support/properties.ts'
import { liveSite } from './estates.ts'
import { desiredOf, imported, plansOf, textsOf, writtenFleet } from './import.ts'

const acceptsEditor = strictAjv().compile(readSchema('fleet.schema.json'))
const all = { ...defaultLintPolicy, level: 'info' } as const

/** The records of a network at three sites, which differ in a few fields. */
function atSites(first: number, ssid: string) {
  return fc
    .tuple(...[0, 1, 2].map(n => legalRecord(nth(first + n), ssid)))
    .chain(([usual = {}, ...others]) =>
      fc
        .tuple(...others.map(own => fc.subarray(Object.keys(own), { maxLength: 4 })))
        .map(differing => [
          usual,
          ...others.map((own, n) => ({
            ...usual,
            ...Object.fromEntries((differing[n] ?? []).map(name => [name, own[name]])),
            id: own['id']
          }))
        ])
    )
}

const records = fc
  .tuple(atSites(10, 'Corp'), atSites(20, 'Guest'))
  .map(([corp, guest]) => corp.map((record, n) => [record, guest[n] ?? {}]))

interface Files {
  readonly texts: ReadonlyMap<string, string>
  readonly secrets: readonly ImportedSecret[]
  readonly isFactored: boolean
}

async function filesOf(live: readonly LiveSite[], manner: string): Promise<Files> {
  const sites = live.map(each => imported(each, manner === '--all-fields'))
  expect(sites.flatMap(({ findings }) => findings)).toEqual([])
  const made = await writtenFleet(sites, manner === 'layers')
  expect(made.problem).toBe(undefined)
  return { texts: textsOf(made), secrets: made.secrets, isFactored: made.lines !== undefined }
}

/** The files with the waivers that `init` writes. */
async function withWaivers({ texts }: Files, live: readonly LiveSite[]) {
  const { desired } = await loadTexts(texts)
  const waivers = liveWaivers(desired?.sites ?? [], live, new Date())
  return new Map([...texts, ['policy.yaml', JSON.stringify({ policy: { waivers } })]])
}

const keyOf = (ssid: string) => ssid.toLowerCase()

/** The linter's findings about each network, by the address and the rule; of any level. */
function lintedBy(sites: readonly LintSite[]): ReadonlyMap<string, LintFinding> {
  return new Map(
    lint(sites, all)
      .filter(({ message }) => !message.includes('another reference'))
      .map(found => [`${found.site}/${found.wlan ?? ''} ${found.rule}`, found])
  )
}

/** The live networks, as far as these sites declare them: by the fields of the files. */
function sitesOf(live: readonly LiveSite[], desired?: Desired, isRead = true): LintSite[] {
  return live.map(({ site: { id, name }, wlans }) => {
    const site = desired?.sites.find(each => each.id === id)
    return {
      id,
      name,
      wlans: wlans.map(({ ssid, record }) => ({
        name: keyOf(ssid),
        declared: site?.wlans.find(({ key }) => key === keyOf(ssid))?.fields,
        live: isRead ? record : undefined,
        layersOf: pointers => (site && desired?.layersOf?.(site, keyOf(ssid), pointers)) ?? {}
      }))
    }
  })
}

describe('the files of an import of any legal records', () => {
  it.each(['--plain', '--all-fields', 'layers'])(
    'are found in order by the editor, validate and plan: %s',
    async manner => {
      let [tried, layered] = [0, 0]
      await fc.assert(
        fc.asyncProperty(records, async json => {
          const live = structuredClone(json).map((of, n) =>
            liveSite(
              { id: nth(n), name: `store-${n}` },
              of.map(record => ({ ...record, site_id: nth(n) }))
            )
          )
          const files = await filesOf(live, manner)
          tried += 1
          if (files.isFactored) layered += 1
          for (const text of files.texts.values()) {
            acceptsEditor(parse(text))
            expect({ errors: acceptsEditor.errors ?? [], text }).toEqual({ errors: [], text })
          }
          const texts = await withWaivers(files, live)
          const { desired, findings } = await loadTexts(texts)
          expect(findings).toEqual([])
          if (desired === undefined) throw new Error('the files are invalid')
          expect(lintDeclared(desired, all).findings.filter(isPolicyRefusal)).toEqual([])
          const resolved = await desiredOf(texts, files.secrets)
          const ofLive = lintedBy(sitesOf(live))
          const ofFiles = lintedBy(sitesOf(live, desired, false))
          const ofBoth = lintedBy(sitesOf(live, resolved))
          const added = [...ofFiles, ...ofBoth].filter(([at]) => !ofLive.has(at)).map(([at]) => at)
          expect(added).toEqual([])
          expect([...ofBoth.values()].filter(({ existing }) => !existing)).toEqual([])
          const plans = plansOf(resolved, live)
          expect(plans.map(({ status }) => status)).toEqual(plans.map(() => 'unchanged'))
          expect(plans).toHaveLength(6)
        }),
        { ...runs(5), endOnFailure: true }
      )
      if (manner === 'layers') expect(layered).toBeGreaterThan(tried / 2)
      else expect(layered).toBe(0)
    },
    60_000
  )
})
