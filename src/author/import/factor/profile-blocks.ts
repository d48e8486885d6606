import { UniqueNames } from '../../../core/audit/slug.ts'
import { wlanField } from '../../../core/schema/field.ts'
import { usual } from '../../../core/values/collections.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import {
  fromEntries,
  isList,
  isObject,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { Block } from '../site-files.ts'
import { mapLeaves } from './leaves.ts'
import { isMerged, linesIn, overrideFor } from './overrides.ts'
import type { Profile } from './profiles.ts'
import type { VariablePlace } from './variables.ts'

/** A profile as in a file. */
export function profileBlock(
  { family, template }: Profile,
  places: ReadonlyMap<Pointer, VariablePlace> | undefined,
  secrets: SecretCatalog
): Block {
  const fields = mapLeaves(template, (value, at) => {
    const place = places?.get(at)
    if (place === undefined) return secrets.replaceSecrets(value)
    const { variable, affixes, secret } = place
    if (secret !== undefined) return secrets.referenceTo(secret.name)
    if (affixes === undefined) return { $var: variable.name }
    return { $format: `${affixes.prefix}{${variable.name}}${affixes.suffix}` }
  })
  return [family.key, fields]
}

/** The profiles of a file. */
export interface ProfileBlocks {
  /** The profile that all others extend, if they have something in common. */
  readonly base: Block | undefined
  /** Without the base, but over it. */
  readonly profiles: readonly Block[]
}

const MIN_PROFILES = 3

/**
 * The profiles, with the fields that all of them have, and most of them with the same value, in one that they extend.
 * Values with secrets or references, and SSIDs, stay in their profiles.
 */
export function withBase(profiles: readonly Block[]): ProfileBlocks {
  const full = profiles.map(([, own]) => own)
  const { ssid: _, ...fields } = commonMembers(full)
  const names = new UniqueNames('-')
  for (const [name] of profiles) names.take(name)
  const base: Block = [names.take('base'), fields]
  const over = profiles.map(([name, own]): Block => {
    return [name, { $extends: base[0], ...overrideFor(fields, { fields: own, record: {} }).fields }]
  })
  const lines = linesIn([fields, ...over.map(([, own]) => own)])
  const isWorthwhile = profiles.length >= MIN_PROFILES && lines < linesIn(full)
  return isWorthwhile ? { base, profiles: over } : { base: undefined, profiles }
}

function commonMembers(objects: readonly ValueObject[], field = wlanField): ValueObject {
  const [first = {}] = objects
  return fromEntries(
    Object.keys(first).flatMap((name): [string, Value][] => {
      const values = objects.flatMap(each =>
        Object.hasOwn(each, name) ? [each[name] ?? null] : []
      )
      if (values.length < objects.length) return []
      const inner = field.member(name)
      const blocks = values.filter(value => isMerged(inner, value))
      if (blocks.length < values.length) {
        const [value] = usual(values, each => JSON.stringify(each))
        return value === undefined || !isPlain(value) ? [] : [[name, value]]
      }
      const common = commonMembers(blocks, inner)
      return Object.keys(common).length === 0 ? [] : [[name, common]]
    })
  )
}

/** True for a value without secrets and references. */
function isPlain(value: Value): boolean {
  if (isList(value)) return value.every(isPlain)
  if (!isObject(value)) return !(value instanceof Secret)
  return Object.entries(value).every(([name, inner]) => !name.startsWith('$') && isPlain(inner))
}
