import { asWarning, type Finding, finding, type Where } from '../../model/finding.ts'
import { ssidProblem } from '../../model/names.ts'
import { steps } from '../../model/pointer.ts'
import { member, type Value, type ValueObject, valueAt } from '../../model/value.ts'
import { fieldAt } from '../../schema/field.ts'
import { revealed, type SchemaError, wlanErrors } from '../../schema/validate.ts'
import type { LoadContext } from '../load-context.ts'
import type { MapNode } from '../yaml/tree.ts'
import { mixedScripts } from './scripts.ts'
import { type SourceLocation, sourceLocationOf } from './source-location.ts'

/**
 * Checks the fields of a WLAN, or some of them, profiles and variables resolved, and says of each error
 * where in the files it was made. `declared` gives what the fields were made of; `holdsSecret` tells that
 * secrets are among them that can be checked.
 */
export function checkFields(
  fields: ValueObject,
  declared: () => MapNode,
  run: LoadContext,
  holdsSecret: boolean
): void {
  if (run.findings.full) return
  const ssid = member(fields, 'ssid')
  if (typeof ssid === 'string' && ssidFindings(ssid, {}).length > 0) {
    const { at, variable } = sourceLocationOf(declared(), '/ssid')
    run.findings.pushAll(ssidFindings(ssid, at, variable))
  }
  for (const error of wlanErrors(holdsSecret ? revealed(fields) : fields)) {
    // To find its place takes longer than all else.
    if (isWarning(error, run) && run.findings.countsOnly()) continue
    const found = explain(
      error,
      valueAt(fields, error.pointer),
      sourceLocationOf(declared(), error.pointer),
      run
    )
    if (found !== undefined) run.findings.push(found)
  }
}

function isWarning({ kind }: SchemaError, { policy }: LoadContext): boolean {
  return kind === 'deprecated' || (kind === 'unknown-field' && policy.unknownFields === 'warn')
}

/** What is wrong with an SSID, declared or matched. */
export function ssidFindings(ssid: string, where: Where, variable?: string): Finding[] {
  const problem = ssidProblem(ssid)
  const scripts = mixedScripts(ssid)
  return [
    ...(problem === undefined ? [] : [finding('SSID_INVALID', where, problem, variable)]),
    ...(scripts.length === 0 ? [] : [finding('SSID_MIXED_SCRIPTS', where, scripts, variable)])
  ]
}

function explain(
  error: SchemaError,
  value: Value | undefined,
  spot: SourceLocation,
  run: LoadContext
): Finding | undefined {
  if (error.pointer === '/ssid' && error.kind === 'length') return undefined
  if (fieldAt(error.pointer).secret && (error.kind === 'pattern' || error.kind === 'length')) {
    // An empty string is no secret, and no wrong one either.
    return value === '' ? undefined : finding('SECRET_INVALID', spot.at, shapeOf(error))
  }
  return describe(error, value, spot, run)
}

function describe(
  error: SchemaError,
  value: Value | undefined,
  spot: SourceLocation,
  run: LoadContext
): Finding {
  const { at, atKey, variable } = spot
  const name = steps(error.pointer).at(-1) ?? ''
  switch (error.kind) {
    case 'unknown-field': {
      const near = run.suggestions.near(name, error.known)
      const found = finding('FIELD_UNKNOWN', atKey, name, near, variable)
      return run.policy.unknownFields === 'warn' ? asWarning(found) : found
    }
    case 'missing-field':
      return finding('FIELD_MISSING', at, error.name, variable)
    case 'type':
      return finding('FIELD_TYPE', at, error.allowed, plain(value), variable)
    case 'enum': {
      const near =
        typeof value === 'string' ? run.suggestions.near(value, error.allowed) : undefined
      return finding('FIELD_VALUE_UNKNOWN', at, plain(value), error.allowed, near, variable)
    }
    case 'range':
      return finding('FIELD_RANGE', at, error, error.unit, variable)
    case 'length':
      return finding('FIELD_LENGTH', at, error, variable)
    case 'pattern':
      return finding('FIELD_PATTERN', at, error.shape, variable)
    case 'read-only':
      return finding('FIELD_READ_ONLY', atKey, name)
    case 'deprecated':
      return finding('FIELD_DEPRECATED', atKey, name)
  }
}

function shapeOf(error: SchemaError): string {
  return error.kind === 'pattern' ? error.shape : 'a text of another length'
}

/** What of a value may enter a message: all but a secret, and what may be one. */
function plain(value: Value | undefined): null | boolean | number | string | undefined {
  return typeof value === 'object' && value !== null ? undefined : value
}
