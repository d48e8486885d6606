import { byCodeUnit, compact } from './collections.ts'
import { fieldMessages } from './messages/fields.ts'
import { fileMessages } from './messages/files.ts'
import { fleetMessages, rolloutMessages } from './messages/fleet.ts'
import { lintMessages } from './messages/lint.ts'
import { planMessages } from './messages/plan.ts'
import type { Messages, MessageTemplate } from './messages/template.ts'
import { clientMessages, timeMessages } from './messages/time.ts'

/**
 * The message of every finding, by code. A message states what is wrong, a hint how to fix it; neither
 * ever holds the value of a secret field. Text from outside is escaped where it is shown.
 */
export const messages = /* @__PURE__ */ mergeMessages() satisfies Messages

// A call that is marked as pure: bundles without findings, as the script of the HTML report, omit all messages.
function mergeMessages() {
  return {
    ...planMessages,
    ...fileMessages,
    ...fleetMessages,
    ...rolloutMessages,
    ...fieldMessages,
    ...lintMessages,
    ...timeMessages,
    ...clientMessages
  } as const
}

/** A place in a file. Line and column start at 1, as in editors; the path uses `/`. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The revision of Git that has this place; absent for a place in the files as they are. */
  readonly revision?: string
}

/** The levels from the worst on. */
export const findingLevels = ['error', 'warning', 'info'] as const

/**
 * `error`: the run fails or is incomplete. `warning`: it succeeds, and something needs attention. `info`:
 * listed only on request.
 */
export type FindingLevel = (typeof findingLevels)[number]

/** The position of a level in `findingLevels`: 0 is the worst. */
export function levelRank(level: FindingLevel): number {
  return findingLevels.indexOf(level)
}

/** A problem of the input, the live state, or both. */
export interface Finding {
  readonly level: FindingLevel
  readonly code: FindingCode
  readonly message: string
  /** How to fix it. */
  readonly hint?: string
  /** The file is relative to the working directory; in a saved file, relative to the fleet. */
  readonly place?: Location
  /** Where in the file's data, e.g. `wlans.guest.vlan_id`. */
  readonly path?: string
  /** The WLAN or the site it is about. */
  readonly address?: string
  /** The owner of the WLAN or site; for display. */
  readonly owner?: string
  /** The WLANs it is about, sorted, where they are several. */
  readonly addresses?: readonly string[]
  /** How many WLANs it is about in addition to those in `addresses`. */
  readonly more?: number
  /** The id of the lint rule, or the name of the policy's rule. */
  readonly rule?: string
  /** The live state has the problem already, no less: no change of the run brings it in. */
  readonly existing?: true
  /** A waiver of the policy covers the finding, which fails no run until then. */
  readonly waived?: FindingWaiver
}

/** Why a finding fails no run, who is responsible for that, and the last day, in UTC. */
export interface FindingWaiver {
  readonly reason: string
  readonly owner?: string
  readonly until: string
}

export type FindingCode = keyof typeof messages

/** The subject of a finding; each part where it is known. */
export type Where = Pick<
  Finding,
  'place' | 'path' | 'address' | 'owner' | 'addresses' | 'rule' | 'existing' | 'more'
>

/**
 * Makes a finding. `details` are those of its message template; text from outside in them is escaped when
 * the finding is shown.
 */
export function finding<C extends FindingCode>(
  code: C,
  where: Where,
  ...details: Parameters<(typeof messages)[C]>
): Finding {
  const template = messages[code] as (...details: unknown[]) => MessageTemplate
  const { level = 'error', message, hint } = template(...details)
  return { level, code, message, ...compact({ hint }), ...where }
}

/** The subject of a finding about a whole WLAN. */
export function aboutWlan({ address, place, owner }: Wlan): Where {
  return { address, place, ...compact({ owner }) }
}

/** The most WLANs that a finding of the linter lists; the others are counted. */
const MAX_ADDRESSES = 1000

/** The subject of a finding about several WLANs, `more` of which are not given. */
export function aboutAddresses(given: Iterable<string>, more = 0): Where {
  const addresses = [...new Set(given)].sort(byCodeUnit)
  const [address] = addresses
  if (addresses.length <= 1 && more === 0) return compact({ address })
  const listed = addresses.slice(0, MAX_ADDRESSES)
  const rest = addresses.length - listed.length + more
  return { addresses: listed, ...(rest > 0 && { more: rest }) }
}

interface Wlan {
  readonly address: string
  readonly place: Location
  readonly owner?: string
}

/** The same finding as a warning, where the policy allows it. */
export function asWarning(found: Finding): Finding {
  return { ...found, level: 'warning' }
}

/** The same finding as a waiver of the policy covers it: it fails no run. */
export function asWaived(found: Finding, waived: FindingWaiver): Finding {
  const { reason, owner, until } = waived
  const by = owner === undefined ? '' : ` by ${owner}`
  return { ...found, level: 'info', hint: `waived until ${until}${by}: ${reason}`, waived }
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
    byCodeUnit(a.owner ?? '', b.owner ?? '')
  )
}

/** The codes of findings by which a policy refuses valid input. */
const refusals: ReadonlySet<FindingCode> = new Set([
  'RULE_BROKEN',
  'RULE_BROKEN_OFTEN',
  'RULE_FAILED',
  'WAIVER_EXPIRED',
  'MORE_REFUSALS',
  'LINT',
  'RELATIONS_TOO_MANY',
  'OVER_MAX_NEW_SITES',
  'UNMANAGED',
  'UNWATCHED'
])

/**
 * True for an error by which the policy refuses valid files (exit 4): the plan is made and shown, but
 * nothing is sent.
 */
export function isPolicyRefusal(found: Finding): boolean {
  return isError(found) && refusals.has(found.code)
}

/** The result of `doctor` for one requirement of a run. */
export interface DoctorCheck {
  /** The requirement in one or two words: `address`, `token`. */
  readonly about: string
  /** `note`: no run fails because of it. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly said: string
  /** How to fix it. */
  readonly todo?: string
}
