import { byCodeUnit } from './collections.ts'
import { messages } from './messages.ts'

/** A place in a file, as editors count: line and column begin at 1; the path uses `/`. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A complaint about the input, or about how it meets the live state. */
export interface Finding {
  readonly level: 'error' | 'warning'
  readonly code: FindingCode
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
  /** Relative to the working directory, so that annotations find the file. */
  readonly place?: Location
  /** Where in the file's data, e.g. `wlans.guest.vlan_id`. */
  readonly path?: string
  /** The WLAN or the site it is about. */
  readonly address?: string
  /** Who answers for that; for people. */
  readonly owner?: string
  /** The WLANs it is about, sorted, where they are several. */
  readonly addresses?: readonly string[]
}

export type FindingCode = keyof typeof messages

/** What a finding is about; each part where it is known. */
export type Where = Pick<Finding, 'place' | 'path' | 'address' | 'owner' | 'addresses'>

/**
 * Makes a finding. `details` are what the code's sentence in `prose.ts` is made of; they may hold
 * text from outside, which is escaped when the finding is shown.
 */
export function finding<C extends FindingCode>(
  code: C,
  where: Where,
  ...details: Parameters<(typeof messages)[C]>
): Finding {
  const say = messages[code] as (...details: unknown[]) => MessageTemplate
  const { level = 'error', message, hint } = say(...details)
  return { level, code, message, ...(hint === undefined ? {} : { hint }), ...where }
}

/** Where a finding about a whole WLAN points. */
export function aboutWlan({ address, place, owner }: Wlan): Where {
  return { address, place, ...(owner === undefined ? {} : { owner }) }
}

interface Wlan {
  readonly address: string
  readonly place: Location
  readonly owner?: string
}

/** The same finding, let through by the policy. */
export function asWarning(found: Finding): Finding {
  return { ...found, level: 'warning' }
}

export function isError(found: Finding): boolean {
  return found.level === 'error'
}

/** Orders findings as the files have them, those without a place first. */
export function byPlace(a: Finding, b: Finding): number {
  return (
    byCodeUnit(a.place?.file ?? '', b.place?.file ?? '') ||
    (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
    (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
    byCodeUnit(a.code, b.code) ||
    byCodeUnit(a.path ?? '', b.path ?? '') ||
    byCodeUnit(a.message, b.message)
  )
}

/** The codes by which a policy refuses what is right in itself. */
const refusals: ReadonlySet<FindingCode> = new Set([
  'RULE_BROKEN',
  'RULE_BROKEN_OFTEN',
  'MORE_REFUSALS',
  'OVER_MAX_NEW_SITES',
  'UNMANAGED'
])

/**
 * True for an error by which the policy refuses what the files say (exit 4): the files are right, and
 * everything is shown, but nothing is sent.
 */
export function isPolicyRefusal(found: Finding): boolean {
  return isError(found) && refusals.has(found.code)
}

/** One entry of the prose: what is said, and how bad it is (an error unless it says otherwise). */
export interface MessageTemplate {
  readonly level?: 'error' | 'warning'
  readonly message: string
  readonly hint?: string
}

/** What `doctor` says of one thing that a run needs. */
export interface DoctorCheck {
  /** The thing, in one or two words: `address`, `token`. */
  readonly about: string
  /** `note`: nothing a run would fail for, but worth knowing. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly said: string
  /** The one thing to do about it. */
  readonly todo?: string
}
