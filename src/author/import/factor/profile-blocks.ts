import { UniqueNames } from '../../../core/audit/slug.ts'
import { wlanField } from '../../../core/schema/field.ts'
import { byCodeUnit, groupBy, usual } from '../../../core/values/collections.ts'
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
import type { Extension } from './extensions.ts'
import { leavesOf, mapLeaves } from './leaves.ts'
import { isMerged, linesIn, overrideBlock, overrideFor } from './overrides.ts'
import type { Profile } from './profiles.ts'
import type { VariablePlace, VariablePlaces } from './variables.ts'

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

/** The size of each profile, and the number of lines that it saves. `full` are their blocks without the base. */
export function summarize(
  full: readonly Block[],
  { base, profiles: over }: ProfileBlocks,
  profiles: readonly Profile[],
  places: VariablePlaces,
  extensions: readonly Extension[]
) {
  const byProfile = groupBy(extensions, ({ profile }) => profile)
  const summaries = profiles.map(profile => {
    const extending = byProfile.get(profile) ?? []
    const overrides = extending.map(({ override }) => overrideBlock(override))
    const varying = [...(places.get(profile)?.values() ?? [])]
    const plain = linesIn(extending.map(({ wlan }) => wlan.fields))
    return {
      name: profile.family.key,
      wlans: extending.length,
      fields: leavesOf(profile.template).size - varying.length,
      variables: [...new Set(varying.map(({ variable }) => variable.name))].sort(byCodeUnit),
      overridden: overrides.filter(each => Object.keys(each).length > 0).length,
      saved: plain - linesIn(overrides) - linesIn([profile.template])
    }
  })
  return base === undefined ? summaries : [baseSummary(base, full, over, summaries), ...summaries]
}

function baseSummary(
  [name, fields]: Block,
  full: readonly Block[],
  over: readonly Block[],
  summaries: readonly { readonly wlans: number }[]
) {
  const places = [...leavesOf(fields).keys()]
  const overriding = summaries.filter((_, n) => {
    const own = leavesOf(over[n]?.[1] ?? {})
    return places.some(at => own.has(at))
  })
  return {
    name,
    wlans: sumOf(summaries),
    fields: places.length,
    variables: [],
    overridden: sumOf(overriding),
    saved: linesIn(full.map(fieldsOf)) - linesIn(over.map(fieldsOf)) - linesIn([fields])
  }
}

function sumOf(summaries: readonly { readonly wlans: number }[]): number {
  return summaries.reduce((sum, { wlans }) => sum + wlans, 0)
}

function fieldsOf([, fields]: Block): ValueObject {
  return fields
}
