import type { Change, PatchOperation } from '../model/plan.ts'
import { isAtOrBelow, type Pointer } from '../model/pointer.ts'
import { isEmpty, type Value, valueAt } from '../model/value.ts'
import { fieldsOf, isDowngrade } from './field-changes.ts'
import type { FieldChange } from './secret-fields.ts'

/** A problem of the live WLAN that exists until a change is applied. */
export type DangerKind =
  | 'off'
  | 'open'
  | 'not-isolated'
  | 'other-key'
  | 'portal-elsewhere'
  | 'portal-off'

/** A danger of the live WLAN, and the field that causes it. */
export interface Danger {
  readonly kind: DangerKind
  readonly pointer: Pointer
}

/** The dangers in words, by severity. */
export const dangerTexts: Readonly<Record<DangerKind, string>> = {
  off: 'switched off, though declared on',
  open: 'open, though declared secured',
  'not-isolated': 'clients not isolated, though declared isolated',
  'other-key': 'another key than declared',
  'portal-elsewhere': 'the portal leads to another host than declared',
  'portal-off': 'the portal is off, though declared on'
}

/** In order of severity. */
export const dangerKinds = Object.keys(dangerTexts) as readonly DangerKind[]

interface DangerRule extends Danger {
  /** True if the live value is a danger while the other one is declared; an absent one has its default. */
  readonly isDanger: (live: Value, declared: Value) => boolean
  /** The documented default of an absent value. */
  readonly default: Value
}

const isOff = (live: Value, declared: Value) => live === false && declared === true

/** The rules by their fields, in order of severity. */
const rules: readonly DangerRule[] = [
  { kind: 'off', pointer: '/enabled', default: true, isDanger: isOff },
  {
    kind: 'open',
    pointer: '/auth/type',
    default: 'open',
    isDanger: (live, declared) => live === 'open' && declared !== 'open'
  },
  {
    kind: 'open',
    pointer: '/auth/owe',
    default: 'disabled',
    isDanger: (live, declared) =>
      live === 'disabled' ? declared !== live : live !== 'required' && declared === 'required'
  },
  { kind: 'not-isolated', pointer: '/isolation', default: false, isDanger: isOff },
  { kind: 'not-isolated', pointer: '/l2_isolation', default: false, isDanger: isOff },
  ...['/portal/external_portal_url', '/portal/forward_url', '/portal/sso_idp_sso_url'].map(
    (pointer): DangerRule => ({
      kind: 'portal-elsewhere',
      pointer,
      default: '',
      isDanger: (live, declared) => !isEmpty(live) && hostOf(live) !== hostOf(declared)
    })
  ),
  { kind: 'portal-off', pointer: '/portal/enabled', default: false, isDanger: isOff },
  { kind: 'portal-off', pointer: '/cisco_cwa/enabled', default: false, isDanger: isOff }
]

/** The secrets that clients use to join. */
const keys: readonly Pointer[] = ['/auth/psk', '/auth/keys', '/dynamic_psk/default_psk']

/**
 * The dangers of the live WLAN of a change in order of severity: its current behavior that the files do not
 * declare.
 */
export function dangersOf(change: Change): readonly Danger[] {
  const fields = change.patch.filter(({ op }) => op !== 'test')
  const dangers = rules.flatMap(({ kind, pointer, isDanger, default: absent }): Danger[] => {
    const field = fields.find(({ path }) => isAtOrBelow(pointer, path))
    const declared = field && valueIn(field, pointer)
    if (field === undefined || declared === undefined) return []
    const test = change.patch.find(({ op, path }) => op === 'test' && path === field.path)
    const live = test && valueIn(test, pointer)
    return isDanger(live === undefined || isEmpty(live) ? absent : live, declared)
      ? [{ kind, pointer: field.path }]
      : []
  })
  const otherKeys = fields
    .filter(field => keys.some(key => setsKey(field, key)))
    .map(({ path }): Danger => ({ kind: 'other-key', pointer: path }))
  return [...dangers, ...otherKeys].sort((a, b) => dangerRank(a.kind) - dangerRank(b.kind))
}

function setsKey(field: PatchOperation, key: Pointer): boolean {
  return isAtOrBelow(key, field.path)
    ? valueIn(field, key) !== undefined
    : isAtOrBelow(field.path, key)
}

/** The value of an operation at a pointer at or below its path; undefined if it sets none. */
function valueIn(operation: PatchOperation, pointer: Pointer): Value | undefined {
  return 'value' in operation
    ? valueAt(operation.value, pointer.slice(operation.path.length))
    : undefined
}

/** The host of a URL in lower case; the string itself if it is not a URL. */
function hostOf(value: Value): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return URL.canParse(text) ? new URL(text).host : text.toLowerCase()
}

/** A sort key by the worst danger of each part: more parts with a worse danger sort first. */
export function dangerKey(worst: Iterable<DangerKind | undefined>): string {
  const counts = dangerKinds.map(() => 0xffff)
  for (const kind of worst) {
    if (kind === undefined) continue
    const rank = dangerKinds.indexOf(kind)
    counts[rank] = Math.max(0, (counts[rank] ?? 0) - 1)
  }
  return String.fromCharCode(...counts)
}

/** 0 for the worst danger; the highest rank without one. */
export function dangerRank(kind: DangerKind | undefined): number {
  return kind === undefined ? dangerKinds.length : dangerKinds.indexOf(kind)
}

/**
 * The fields of a change for a list of about `most`: all in the order of the patch if they fit, otherwise
 * those that cause a danger, a downgrade or the impact first. It never omits a field of a danger, or the
 * first field of a downgrade or of the impact.
 */
export function leadingFields(
  change: Change,
  most: number,
  fields: readonly FieldChange[] = fieldsOf(change)
): readonly FieldChange[] {
  if (fields.length <= most) return fields
  const downgraded = fields.filter(field => isDowngrade(change, field)).map(({ path }) => path)
  // A list may be shown by its secrets only; the first of them represents it.
  const byPath = new Map(fields.toReversed().map(field => [field.sentIn ?? field.path, field]))
  for (const field of fields) byPath.set(field.path, field)
  const impact = (change.impact_fields ?? []).filter(path => byPath.has(path))
  const dangers = dangersOf(change).map(({ pointer }) => pointer)
  const leading = new Set([
    ...dangers.filter(path => byPath.has(path)),
    ...downgraded.slice(0, 1),
    ...impact.slice(0, 1)
  ])
  const count = Math.max(most, leading.size)
  const weighty = new Set([...leading, ...downgraded, ...impact])
  const ordered = new Set([...weighty].flatMap(path => byPath.get(path) ?? []))
  return [...ordered, ...fields.filter(field => !ordered.has(field))].slice(0, count)
}
