import type { Site, SiteSinceBase, Waiver } from '../../core/model/desired.ts'
import { type Finding, type FindingWaiver, finding } from '../../core/model/finding.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { endOfDay } from '../../core/values/time.ts'
import { expectFilled, expectText, isWhole, listOf, mapWith } from '../expect.ts'
import { at } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { isSite, isWlan } from '../select.ts'
import { RunTime } from '../usage.ts'
import type { Node } from '../yaml/tree.ts'

const EXAMPLE =
  'write `{ rule: guest-traffic-untagged, site: "lab*", reason: "no VLANs there", until: 2027-01-31 }`'

const waiver = mapWith(
  'waiver',
  { rule: expectFilled, reason: expectFilled, until: expectDay },
  { site: expectText, wlan: expectText },
  EXAMPLE
)

export type DeclaredWaiver = NonNullable<ReturnType<typeof waiver>>

const ADVICE = 'combine some of them: `site` and `wlan` take globs'

const waivers = listOf(waiver, ['policy', limits.rules, 'waivers', ADVICE])

/** Reads the `waivers` of a policy. One with an invalid glob is none: without the glob it would cover more. */
export function waiversIn(node: Node, findings: Findings): DeclaredWaiver[] {
  return waivers(node, findings).filter(each => isWhole(each, 'site', 'wlan'))
}

function expectDay(node: Node, findings: Findings): string | undefined {
  const day = expectText(node, findings)
  if (day === undefined || endOfDay(day) !== undefined) return day
  findings.push(finding('TIME_INVALID', at(node), 'a date', day))
  return undefined
}

/** Reports expired waivers and unknown rules. Loads the linter's rules only for names that the policy lacks. */
export async function currentWaivers(
  declared: readonly DeclaredWaiver[],
  policyRules: readonly string[],
  now: Date,
  findings: Findings
): Promise<Waiver[]> {
  if (declared.length === 0) return []
  const lintRules = declared.every(({ rule }) => policyRules.includes(rule))
    ? []
    : (await import('../../core/lint/catalogue.ts')).lintRules.map(({ id }) => id)
  const known = [...policyRules, ...lintRules]
  return declared.flatMap(({ node, ...waiver }) => {
    const { rule, until } = waiver
    const where = at(node)
    if (!known.includes(rule)) {
      findings.push(
        finding(
          'NAME_UNKNOWN',
          where,
          'rule',
          rule,
          nearest(rule, known),
          'name a rule of `policy.rules`, or one that `wlanctl explain` knows'
        )
      )
      return []
    }
    if (now.getTime() > (endOfDay(until) ?? 0)) {
      findings.push(finding('WAIVER_EXPIRED', { ...where, rule }, rule, until))
      return []
    }
    return { ...waiver, ofPolicy: policyRules.includes(rule), where }
  })
}

export interface WaivedSubject {
  readonly site: Site & { readonly sinceBase?: Pick<SiteSinceBase, 'site' | 'keys'> }
  /** The key of a declared WLAN, or the SSID of another; absent if the finding is about the whole site. */
  readonly wlan?: string | undefined
}

function atBase({ site, wlan }: WaivedSubject): WaivedSubject {
  const { site: was = site, keys } = site.sinceBase ?? {}
  return { site: was, wlan: wlan && (keys?.get(wlan) ?? wlan) }
}

/** The waivers of a run. It records which of them suppressed a finding. */
export class Waivers {
  readonly #base: Waivers | undefined
  readonly #byRule = new Map<string, Waiver[]>()
  readonly #used = new Set<Waiver>()
  readonly #time: RunTime

  /** `base`: the waivers of the base, which must cover a finding as well. */
  constructor(waivers: readonly Waiver[] = [], base?: readonly Waiver[], time = new RunTime()) {
    this.#base = base && new Waivers(base, undefined, time)
    this.#time = time
    for (const waiver of waivers) {
      const { rule } = waiver
      this.#byRule.set(rule, [...(this.#byRule.get(rule) ?? []), waiver])
    }
  }

  /**
   * The first waiver that covers a finding of this rule. All waivers that cover it count as used. None covers
   * it once their time is over, which `problems` reports.
   */
  covering(rule: string, subjectOf: () => WaivedSubject): FindingWaiver | undefined {
    const waivers = this.#byRule.get(rule)
    if (waivers === undefined || this.#time.isOver) return undefined
    const subject = subjectOf()
    const [first, ...others] = this.#time.measure(() =>
      waivers.filter(each => covers(each, subject))
    )
    if (first === undefined) return undefined
    for (const waiver of [first, ...others]) this.#used.add(waiver)
    if (this.#base && !this.#base.covering(rule, () => atBase(subject))) return undefined
    return { reason: first.reason, until: first.until }
  }

  /** A warning for each unused waiver that `isEvaluated` accepts; an error if matching them took too long. */
  problems(isEvaluated: (waiver: Waiver) => boolean): Finding[] {
    const waivers = [...this.#byRule.values()].flat()
    const [first] = waivers
    if (first && this.#time.isOver) return [finding('GLOBS_TOO_LARGE', first.where)]
    return waivers
      .filter(waiver => !this.#used.has(waiver) && isEvaluated(waiver))
      .map(({ rule, where }) => finding('WAIVER_UNUSED', { ...where, rule }, rule))
  }
}

export function waivesSite({ site: glob }: Pick<Waiver, 'site'>, site: Site): boolean {
  return glob === undefined || isSite(site, glob)
}

function covers(
  { site: siteGlob, wlan: wlanGlob }: Waiver,
  { site, wlan }: WaivedSubject
): boolean {
  if (!waivesSite({ site: siteGlob }, site)) return false
  if (wlanGlob === undefined) return true
  if (wlan === undefined) return false
  return isWlan({ key: wlan, address: `${site.name}/${wlan}` }, wlanGlob)
}
