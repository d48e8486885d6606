import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LiveOf } from '../../../src/author/fix/findings.ts'
import { lintRules } from '../../../src/core/lint/catalogue.ts'
import type { FixResult } from '../../../src/core/model/fix.ts'
import { planSite } from '../../../src/core/plan/plan.ts'
import { unwatchedFields } from '../../../src/core/plan/undeclared/undeclared.ts'
import { steps } from '../../../src/core/values/pointer.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import { wlanValue } from '../../../src/service/live.ts'
import { runs } from '../../support/properties.ts'
import { type Case, casesOf, type FieldValues } from '../adopt/fleets.ts'
import { fixed } from './fixed.ts'

const flag = fc.boolean()
const one = fc.constantFrom

/** Fields that break rules with a fix, alone or together. */
const values: FieldValues = {
  '/enabled': flag,
  '/isolation': flag,
  '/l2_isolation': flag,
  '/auth/type': one('open', 'eap', 'wep'),
  '/auth/owe': one('disabled', 'enabled', 'required'),
  '/auth/pairwise': one(['wpa2-ccmp'], ['wpa3'], ['wpa2-ccmp', 'wpa2-tkip']),
  '/auth/anticlog_threshold': one(16, 32),
  '/auth/multi_psk_only': flag,
  '/roam_mode': one('NONE', '11r', 'OKC'),
  '/vlan_enabled': flag,
  '/vlan_id': one(20, 30),
  '/vlan_pooling': flag,
  '/vlan_ids': one([10, 20], [10, 20, 10]),
  '/bands': one(['5'], ['24', '5'], ['5', '6'], ['6']),
  '/rateset/24': one({ template: 'compatible' }, { template: 'no-legacy' }),
  '/rateset/5': one({ template: 'custom', legacy: ['11', '24'] }, { legacy: ['12b', '24'] }),
  '/limit_bcast': flag,
  '/allow_mdns': flag,
  '/portal/enabled': flag,
  '/portal/forward': flag,
  '/mist_nac/enabled': flag,
  '/auth_servers_timeout': one(5, 10),
  '/schedule/enabled': flag,
  '/schedule/hours': one({ mon: '08:00-20:00' }, { tue: '09:00-17:00' }),
  '/hide_ssid': flag,
  '/dtim': one(2, 20),
  '/band_steer': flag,
  '/disable_wmm': flag,
  '/client_limit_up': one(1000, 2000),
  '/client_limit_up_enabled': flag
}

const rules = lintRules.flatMap(({ id, fix }) => (fix === undefined ? [] : id))

function liveOf({ live }: Case): LiveOf {
  return site => ({
    site,
    wlans: (live.get(site.id) ?? []).map(json => {
      const record = wlanValue(json) as ValueObject
      return { id: String(record['id']), ssid: String(record['ssid']), record, readAt: 0 }
    })
  })
}

/** The patch of each WLAN against the live networks, and the fields that are not watched, by address. */
async function planOf(
  files: Readonly<Record<string, string>>,
  made: Case
): Promise<Map<string, { readonly patch: unknown; readonly unwatched: readonly string[] }>> {
  const { desired, findings } = await loadTexts(new Map(Object.entries(files)))
  if (desired === undefined) throw new Error(JSON.stringify(findings))
  const facts = desired.sites.flatMap(site => {
    const live = liveOf(made)(site)
    if (live === undefined || !('wlans' in live)) return []
    return planSite(site, live).wlanPlans.flatMap(plan => {
      const wlan = site.wlans.find(({ address }) => address === plan.address)
      const record = live.wlans.find(({ ssid }) => ssid === wlan?.fields['ssid'])?.record ?? {}
      const patch = plan.status === 'changed' ? plan.change.patch : plan.status
      return [
        [plan.address, { patch, unwatched: unwatchedFields(wlan?.fields ?? {}, record) }]
      ] as const
    })
  })
  return new Map(facts)
}

const commentsIn = (text: string) => text.split(/\r?\n/).filter(line => /^\s*#/.test(line))

/** The lines of `text` that are not in `edited`, but for those of the fields with `names` and of the blocks in them. */
function linesRemovedBeyond(names: ReadonlySet<string>, text: string, edited: string): string[] {
  const kept = new Set(edited.split(/\r?\n/))
  let field = Number.POSITIVE_INFINITY
  return text.split(/\r?\n/).filter(line => {
    const indent = line.search(/\S/)
    if (indent > field) return false
    field = Number.POSITIVE_INFINITY
    if (kept.has(line)) return false
    if ([...names].some(name => line.includes(name))) {
      field = indent
      return false
    }
    // A block that becomes empty is removed with its key, and a list with its items.
    return !/^\s*(?:"?(?:corp|guest|wlans)"?:|- \S+)\s*(?:#.*)?$/s.test(line)
  })
}

/** What a second run fixes, apart from what the first one said it left: another fix may have made that possible. */
function untold({ left }: FixResult, again: FixResult): string[] {
  const told = new Set(left.map(({ rule, address }) => `${rule} ${address}`))
  return again.fixes
    .flatMap(({ rule, addresses }) => addresses.map(address => `${rule} ${address}`))
    .filter(each => !told.has(each))
}

describe('fix, for any fleet with findings', () => {
  it('keeps every plan with its safe fixes, every other byte, and finds nothing more to do', async () => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(casesOf(values), fc.constantFrom('profile', 'site'), async (each, layer) => {
        const files = Object.fromEntries(each.sources.map(({ file, text }) => [file, text]))
        const options = { rules, layer, liveOf: liveOf(each) } as const
        const { result, after } = await fixed(files, options)
        expect(result.fixes.filter(({ safe }) => !safe)).toEqual([])
        const before = await planOf(files, each)
        for (const [address, { patch, unwatched }] of await planOf(after, each)) {
          expect([address, patch]).toEqual([address, before.get(address)?.patch])
          expect(before.get(address)?.unwatched).toEqual(expect.arrayContaining([...unwatched]))
        }
        const names = new Set(
          result.fixes.flatMap(({ edits }) => edits.flatMap(({ pointer }) => steps(pointer)))
        )
        for (const [file, text] of Object.entries(files)) {
          const edited = after[file] ?? ''
          expect(commentsIn(edited)).toEqual(commentsIn(text))
          const others = linesRemovedBeyond(names, text, edited)
          expect(layer === 'site' ? [] : others).toEqual([])
        }
        expect(untold(result, (await fixed(after, options)).result)).toEqual([])
        made += result.fixes.length
      }),
      runs(15)
    )
    expect(made).toBeGreaterThan(0)
  })

  it('resolves with --unsafe what it says, and finds nothing more to do', async () => {
    await fc.assert(
      fc.asyncProperty(casesOf(values), async each => {
        const files = Object.fromEntries(each.sources.map(({ file, text }) => [file, text]))
        const options = { rules, unsafe: true, liveOf: liveOf(each) }
        const { result, after } = await fixed(files, options)
        expect(untold(result, (await fixed(after, options)).result)).toEqual([])
      }),
      runs(8)
    )
  })
})
