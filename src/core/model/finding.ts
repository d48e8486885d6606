import { byCodeUnit, compact, sortBy } from '../values/collections.ts'
import { type DangerKind, dangerRank } from './danger.ts'
import { fieldMessages } from './messages/fields.ts'
import { fileMessages } from './messages/files.ts'
import { fleetMessages, testMessages } from './messages/fleet.ts'
import { planMessages } from './messages/plan.ts'
import { lintMessages, policyMessages } from './messages/policy.ts'
import { rolloutMessages, timeMessages } from './messages/rollout.ts'
import type { Messages, MessageTemplate } from './messages/template.ts'

/**
 * The messages of findings, by code. A message states the problem, and a hint how to fix it; neither ever
 * contains the value of a secret field. Untrusted strings are escaped when they are shown.
 */
export const messages: AllMessages = /* @__PURE__ */ mergeMessages() satisfies Messages

/** Named, because the declarations of the package cannot contain the types of the templates' arguments. */
type AllMessages = typeof planMessages &
  typeof fileMessages &
  typeof fleetMessages &
  typeof policyMessages &
  typeof rolloutMessages &
  typeof fieldMessages &
  typeof lintMessages &
  typeof timeMessages &
  typeof testMessages

// Marked as pure, so that bundles without findings, such as the page's script, omit all messages.
function mergeMessages(): AllMessages {
  return {
    ...planMessages,
    ...fileMessages,
    ...fleetMessages,
    ...policyMessages,
    ...rolloutMessages,
    ...fieldMessages,
    ...lintMessages,
    ...timeMessages,
    ...testMessages
  }
}

/** A place in a file. Line and column start at 1, as in editors; the path uses `/`. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The revision of Git that contains this place; absent for the current files. */
  readonly revision?: string
}

export const MAX_RELATED_LINES = 10

/** The levels (severities) in descending order. */
export const findingLevels = ['error', 'warning', 'info'] as const

/** An `error` fails a run or makes it incomplete; a `warning` does not; `info` is on request. */
export type FindingLevel = (typeof findingLevels)[number]

/** The index of a level in `findingLevels`: 0 is the worst. */
export function levelRank(level: FindingLevel): number {
  return findingLevels.indexOf(level)
}

/** A diagnostic: a problem of the input, the live state, or both. */
export interface Finding {
  readonly level: FindingLevel
  readonly code: FindingCode
  readonly message: string
  readonly hint?: string
  /** The file is relative to the working directory; in a saved file, relative to the fleet. */
  readonly place?: Location
  /**
   * Other lines that it concerns, at most `MAX_RELATED_LINES`: those of the other WLANs of a relation. An existing
   * problem, which has no place, has the first line that declares it.
   */
  readonly related?: readonly Location[]
  /** The path in the data of the file, e.g. `wlans.guest.vlan_id`. */
  readonly path?: string
  readonly address?: string
  /** The WLANs that the finding is about, sorted, if there are several. */
  readonly addresses?: readonly string[]
  /** The number of WLANs in addition to those in `addresses`. */
  readonly more?: number
  /** The id of the lint rule, or the name of the policy's rule. */
  readonly rule?: string
  /** The live state already has the problem to the same extent, so no change of the run causes it. */
  readonly existing?: true
  /** What the undeclared field or WLAN exposes people to; in a drift report only. */
  readonly danger?: DangerKind
  /** `adopt` does not declare the live value of the undeclared field. */
  readonly not_adoptable?: true
  /** The SSID of a WLAN that is missing, or that has an undeclared field that changed. */
  readonly ssid?: string
  /** The SSID of an undeclared live WLAN that may be the missing one, renamed or misspelt. */
  readonly near?: string
  readonly unavailable?: UnavailableSecret
  /** The waiver of the policy that suppresses the finding, so that it fails no run. */
  readonly waived?: FindingWaiver
}

export interface UnavailableSecret {
  readonly secret: string
  readonly reason: string
}

/** Why a finding is suppressed, and the last day, in UTC. */
export interface FindingWaiver {
  readonly reason: string
  readonly until: string
}

export type FindingCode = keyof typeof messages

/** The subject of a finding; unknown parts are absent. */
export type Where = Pick<
  Finding,
  | 'place'
  | 'related'
  | 'path'
  | 'address'
  | 'addresses'
  | 'rule'
  | 'existing'
  | 'danger'
  | 'not_adoptable'
  | 'ssid'
  | 'near'
  | 'more'
  | 'unavailable'
>

/** `details` are the arguments of its message; untrusted strings in them are escaped when shown. */
export function finding<C extends FindingCode>(
  code: C,
  where: Where,
  ...details: Parameters<(typeof messages)[C]>
): Finding {
  const template = messages[code] as (...details: unknown[]) => MessageTemplate
  const { level = 'error', message, hint } = template(...details)
  return { level, code, message, ...compact({ hint }), ...where }
}

export function aboutWlan({ address, place }: Required<Pick<Finding, 'address' | 'place'>>): Where {
  return { address, place }
}

const MAX_ADDRESSES = 1000

export function aboutAddresses(given: Iterable<string>): Where {
  const addresses = [...new Set(given)].sort(byCodeUnit)
  const [address] = addresses
  if (addresses.length <= 1) return compact({ address })
  const listed = addresses.slice(0, MAX_ADDRESSES)
  const more = addresses.length - listed.length
  return { addresses: listed, ...(more > 0 && { more }) }
}

/** The number of references to secrets that could not be resolved; each counts once, wherever it is used. */
export function countUnresolved(findings: readonly Finding[]): number {
  const unresolved = findings.filter(({ code }) => code === 'SECRET_UNRESOLVED')
  return new Set(unresolved.map(({ message }) => message)).size
}

export function asWarning(found: Finding): Finding {
  return { ...found, level: 'warning' }
}

export function asWaived(found: Finding, waived: FindingWaiver): Finding {
  const { reason, until } = waived
  return { ...found, level: 'info', hint: `waived until ${until}: ${reason}`, waived }
}

export function isError(found: Finding): boolean {
  return found.level === 'error'
}

/** Orders findings by file and line, those without a place first; those of one place by what they say. */
export function byPlace(a: Finding, b: Finding): number {
  return (
    byCodeUnit(a.place?.file ?? '', b.place?.file ?? '') ||
    (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
    (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
    byCodeUnit(a.code, b.code) ||
    byCodeUnit(a.path ?? '', b.path ?? '') ||
    byCodeUnit(a.message, b.message) ||
    byCodeUnit(a.hint ?? '', b.hint ?? '') ||
    byCodeUnit(firstAddress(a), firstAddress(b))
  )
}

/** The addresses of a finding, as `aboutAddresses` sets them; none for one about the fleet. */
export function addressesIn({
  address,
  addresses
}: Pick<Finding, 'address' | 'addresses'>): readonly string[] {
  return addresses ?? (address === undefined ? [] : [address])
}

function firstAddress({ address, addresses }: Finding): string {
  return address ?? addresses?.[0] ?? ''
}

/** Orders findings by danger, the worst first; those without one come last. */
export function byDanger(a: Pick<Finding, 'danger'>, b: Pick<Finding, 'danger'>): number {
  return dangerRank(a.danger) - dangerRank(b.danger)
}

/** The findings of a plan among those that only `drift` has, of which the dangerous ones come first, then by address. */
export function withDriftFindings(
  ofPlan: readonly Finding[],
  ofDrift: readonly Finding[]
): Finding[] {
  const own = sortBy(ofDrift, ({ address = '' }) => address).sort(byDanger)
  return [
    ...own.filter(({ danger }) => danger !== undefined),
    ...ofPlan,
    ...own.filter(({ danger }) => danger === undefined)
  ]
}

/** The result of `doctor` for one requirement of a run. */
export interface DoctorCheck {
  /** The requirement in one or two words: `address`, `token`. */
  readonly about: string
  /** `note`: it fails no run. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly said: string
  readonly todo?: string
}
