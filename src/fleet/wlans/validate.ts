import type { DesiredWlan } from '../../core/model/desired.ts'
import { asWarning, type Finding, finding, type Where } from '../../core/model/finding.ts'
import type { VariableOrigin } from '../../core/model/messages/template.ts'
import { fieldAt, wlanField } from '../../core/schema/field.ts'
import { fieldsCalled, valueCalled } from '../../core/schema/nearest.ts'
import { revealed, type SchemaError, wlanErrors } from '../../core/schema/validate.ts'
import { compact } from '../../core/values/collections.ts'
import { steps } from '../../core/values/pointer.ts'
import { JOINER, ssidProblem } from '../../core/values/ssid.ts'
import { isUuid } from '../../core/values/uuid.ts'
import { member, type Value, type ValueObject, valueAt } from '../../core/values/value.ts'
import { checkKeys, expectFlag, expectMap, wrongType } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { type Entry, type MapNode, memberNode, type Node } from '../yaml/tree.ts'
import type { LoadContext } from './load-context.ts'
import { type SiteVariables, type SourceLocation, sourceLocationOf } from './references.ts'
import type { Values } from './values.ts'

/** `declared` returns their declaration; `holdsSecret` is true if they have a known secret. */
export function checkFields(
  fields: ValueObject,
  declared: () => MapNode,
  run: LoadContext,
  holdsSecret: boolean,
  site?: SiteVariables
): void {
  if (run.findings.full) return
  const ssid = member(fields, 'ssid')
  const wrongSsid = typeof ssid === 'string' ? ssidFinding(ssid) : undefined
  if (wrongSsid !== undefined) {
    const { at, use } = sourceLocationOf(declared(), '/ssid', site)
    run.findings.pushOf(use && { ...use, value: String(ssid) }, origin => wrongSsid(at, origin))
  }
  for (const error of wlanErrors(holdsSecret ? revealed(fields) : fields)) {
    const value = valueAt(fields, error.pointer)
    const meant = meaningOf(error, value)
    if (isWarning(error, meant, run) && run.findings.countsOnly()) continue
    // This takes most of the time.
    const location = sourceLocationOf(declared(), error.pointer, site)
    // An empty string is not a secret, and not an invalid one either.
    if (isExplained(error, value, location) || (isSecretShape(error) && value === '')) continue
    const use = location.use && { ...location.use, ...valueToShow(error, value) }
    run.findings.pushOf(use, origin => explain(error, value, meant, location, run, origin))
  }
}

/** The value of a variable, for messages that would not contain it otherwise. */
function valueToShow({ kind, pointer }: SchemaError, value: Value | undefined) {
  const isShown = kind !== 'type' && kind !== 'length'
  return isShown || typeof value !== 'string' || fieldAt(pointer).secret ? {} : { value }
}

/**
 * True for an error that another finding explains. A declared member is missing in the values if its
 * reference cannot be resolved, or depends on a site. A number that is not kept exactly is not the one in the file.
 */
function isExplained(
  error: SchemaError,
  value: Value | undefined,
  { node }: SourceLocation
): boolean {
  if (error.kind === 'missing-field') return memberNode(node, error.name) !== undefined
  if (error.kind === 'range' && typeof value === 'number') {
    return Math.abs(value) > Number.MAX_SAFE_INTEGER
  }
  return error.pointer === '/ssid' && error.kind === 'length'
}

function isSecretShape({ pointer, kind }: SchemaError): boolean {
  return (kind === 'pattern' || kind === 'length') && fieldAt(pointer).secret
}

/**
 * The fields that an unknown name stands for or belongs to, or the value that an unknown word stands for. The policy does
 * not let these through: the service would ignore them.
 */
function meaningOf(error: SchemaError, value: Value | undefined): readonly string[] {
  if (error.kind === 'unknown-field') return fieldsCalled(steps(error.pointer))
  if (error.kind !== 'enum' || typeof value !== 'string') return []
  return valueCalled(fieldAt(error.pointer), value)
}

function isWarning(
  { kind }: SchemaError,
  { length: meanings }: readonly string[],
  { policy }: LoadContext
): boolean {
  if (kind === 'deprecated') return true
  if (kind !== 'enum' && kind !== 'unknown-field') return false
  const allowed = kind === 'enum' ? policy.unknownValues : policy.unknownFields
  return allowed === 'warn' && meanings === 0
}

type MakeFinding = (where: Where, origin?: VariableOrigin) => Finding

function ssidFinding(ssid: string): MakeFinding | undefined {
  const problem = ssidProblem(ssid)
  if (problem !== undefined) {
    return (where, origin) => finding('SSID_INVALID', where, problem, origin)
  }
  return ssid.includes(JOINER)
    ? (where, origin) => finding('SSID_JOINER', where, origin)
    : undefined
}

function explain(
  error: SchemaError,
  value: Value | undefined,
  meant: readonly string[],
  location: SourceLocation,
  run: LoadContext,
  variable: VariableOrigin | undefined
): Finding {
  const { at, atKey } = location
  if (isSecretShape(error)) {
    return finding('SECRET_INVALID', at, shapeOf(error), variable)
  }
  const name = steps(error.pointer).at(-1) ?? ''
  const shown = fieldAt(error.pointer).secret ? undefined : plain(value)
  switch (error.kind) {
    case 'unknown-field': {
      const near = run.findings.near(name, error.known)
      const found = finding('FIELD_UNKNOWN', atKey, name, near, variable, error.known, meant)
      return isWarning(error, meant, run) ? asAllowed(found, near) : found
    }
    case 'missing-field':
      return finding('FIELD_MISSING', at, error.name, variable)
    case 'type':
      return finding('FIELD_TYPE', at, error.allowed, plain(value), variable)
    case 'enum': {
      const [
        near = typeof value === 'string' ? run.findings.near(value, error.allowed) : undefined
      ] = meant
      const found = finding('FIELD_VALUE_UNKNOWN', at, shown, error.allowed, near, variable)
      return isWarning(error, meant, run) ? asAllowed(found, near) : found
    }
    case 'range':
      return finding('FIELD_RANGE', at, error, error.unit, variable, shown)
    case 'length':
      return finding('FIELD_LENGTH', at, error, variable, shown)
    case 'count':
      return finding('FIELD_COUNT', at, error, variable)
    case 'pattern': {
      const found = finding('FIELD_PATTERN', at, error.shape, variable, shown)
      return error.lenient ? asWarning(found) : found
    }
    case 'read-only':
      return finding('FIELD_READ_ONLY', atKey, name)
    case 'deprecated':
      return finding('FIELD_DEPRECATED', atKey, name)
  }
}

/** A finding that the policy makes a warning: without the hint that names the policy. */
function asAllowed(found: Finding, near: string | undefined): Finding {
  const { hint, ...rest } = asWarning(found)
  return near === undefined ? rest : { ...rest, ...compact({ hint }) }
}

function shapeOf(error: SchemaError): string {
  return error.kind === 'pattern' ? error.shape : 'a text of another length'
}

function plain(value: Value | undefined): null | boolean | number | string | undefined {
  return typeof value === 'object' && value !== null ? undefined : value
}

/** The `id` and `$` keys of a block: its live WLAN, whether it is managed, and whether it is protected. */
export function identityIn(
  block: MapNode,
  values: Values,
  run: LoadContext
): Pick<DesiredWlan, 'id' | 'matchSsid' | 'protect' | 'managed' | 'excluded'> {
  const [protect, managed] = ['$protect', '$managed'].map(name => {
    const node = memberNode(block, name)
    return node && expectFlag(node, run.findings)
  })
  return {
    ...compact({ id: idIn(block, values, run), matchSsid: matchIn(block, values, run) }),
    ...(protect && { protect }),
    ...(managed === false && NOT_MANAGED)
  }
}

function idIn(block: MapNode, values: Values, run: LoadContext): string | undefined {
  const entry = block.entries.get('id')
  const id = entry && values.of(entry.value, wlanField.member('id'))
  if (entry === undefined || id === undefined) return undefined
  if (isUuid(id)) return id
  run.findings.push(finding('ID_NOT_UUID', at(entry.value)))
  return undefined
}

function matchIn(block: MapNode, values: Values, run: LoadContext): string | undefined {
  const entry = block.entries.get('$match')
  if (entry === undefined) return undefined
  const ssid = ssidOfMatch(entry, run.findings)
  if (ssid === undefined) return undefined
  const text = values.of(ssid, wlanField.member('ssid'))
  if (typeof text === 'string') {
    const wrong = ssidFinding(text)
    if (wrong !== undefined) run.findings.push(wrong(at(ssid)))
    return text
  }
  return text === undefined ? text : wrongType(ssid, 'a text', run.findings)
}

const NOT_MANAGED = { managed: false, excluded: true } as const

export function ssidOfMatch(entry: Entry, findings: Findings): Node | undefined {
  const match = expectMap(entry.value, findings)
  if (match !== undefined) checkKeys(match, ['ssid'], findings)
  const ssid = match?.entries.get('ssid')?.value
  if (ssid === undefined) findings.push(finding('MATCH_WITHOUT_SSID', atKey(entry)))
  return ssid
}

/** True for a WLAN with `$managed: false`; `identityIn` reports values of other types. */
export function isNotManaged(block: Node | undefined): boolean {
  const value = memberNode(block, '$managed')
  return value?.kind === 'scalar' && value.value === false
}
