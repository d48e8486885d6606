import type { Site } from '../../core/model/desired.ts'
import type { PatchOperation, ShownChange } from '../../core/model/plan.ts'
import { asNumber, isList, isObject, type Value } from '../../core/values/value.ts'
import type { ChangeKind } from '../wording/effects.ts'
import { fieldsOf, valueOfField } from './field-changes.ts'
import { isSecret } from './format-value.ts'
import { elementPointer } from './secret-fields.ts'

export interface AddressParts {
  readonly site: string
  /** The key of the WLAN in the YAML. */
  readonly key: string
}

export function addressPartsOf({
  address,
  site
}: Pick<ShownChange, 'address'> & { readonly site: Pick<Site, 'name'> }): AddressParts {
  return splitAfter(address, address.startsWith(`${site.name}/`) ? site.name.length : -1)
}

/** The declared name in a drift report; otherwise the one that people know, before it changes. */
export function ssidOf({ wlan, patch }: ShownChange, kind: ChangeKind): string | undefined {
  const values = patch.filter(({ path }) => path === '/ssid')
  const known = values.find(({ op }) => (op === 'test') === (kind === 'diff'))
  if (known === undefined || kind === 'plan') return wlan.ssid
  return 'value' in known && typeof known.value === 'string' ? known.value : undefined
}

/** Splits an address of an unknown site at its first `/`. */
export function splitAddress(address: string): AddressParts {
  return splitAfter(address, address.indexOf('/'))
}

function splitAfter(address: string, end: number): AddressParts {
  if (end < 0) return { site: address, key: '' }
  return { site: address.slice(0, end), key: address.slice(end + 1) }
}

/**
 * A key that is equal for changes with the same effect on WLANs with the same key. The names of secret references do
 * not matter: an import gives each site its own. Former numbers are compared by their digits (`40` or `"40"`), because
 * the service stores either, and lists by the elements that differ.
 */
export function changeKey(change: ShownChange): string {
  const { patch, impact, impacts, downgrades, downgrade_levels, not_compared, causes, secrets } =
    change
  const { switches_off, resets_radio, authentication_risk, dangers, elements } = change
  const steps = elements === undefined ? patch.map(comparable) : elementSteps(change)
  const pointers = elements === undefined ? [not_compared, secrets] : openElements(change)
  return JSON.stringify([
    addressPartsOf(change).key,
    ...[steps, impact, impacts, switches_off, resets_radio, authentication_risk, downgrades],
    ...[downgrade_levels, dangers, causes, pointers]
  ])
}

function comparable(step: PatchOperation): unknown {
  if (step.op === 'test') return { ...step, value: asNumber(step.value) }
  return 'value' in step ? { ...step, value: withoutReferences(step.value) } : step
}

/** The value with the same mark in place of each secret reference. */
function withoutReferences(value: Value): unknown {
  if (isSecret(value)) return '(secret)'
  if (isList(value)) return value.map(withoutReferences)
  if (!isObject(value)) return value
  return Object.entries(value).map(([name, member]) => [name, withoutReferences(member)])
}

/** The operations of a patch, with lists replaced by the elements that differ; then the secrets within. */
function elementSteps(change: ShownChange): unknown[] {
  const steps = change.patch.flatMap((step): unknown[] => {
    const elements = valueOfField(change.elements, step)
    if (elements === undefined) return [comparable(step)]
    return step.op === 'test' ? [] : [[step.path, elements]]
  })
  const secrets = fieldsOf(change).filter(({ sentIn }) => sentIn !== undefined)
  return [...steps, ...secrets.map(({ path, state }) => [path, state])]
}

/** The secrets that could not be compared, by the names of their elements. */
function openElements({ not_compared = [], request }: ShownChange): string[] {
  return not_compared.map(pointer => elementPointer(request?.body ?? {}, pointer))
}
