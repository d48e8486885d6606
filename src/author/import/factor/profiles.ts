import { wlanField } from '../../../core/schema/field.ts'
import { byCodeUnit } from '../../../core/values/collections.ts'
import { Secret } from '../../../core/values/secret.ts'
import {
  fromEntries,
  isList,
  isObject,
  isSameJson,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'
import { UniqueNames } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import { hasOverride, overrideLines, type ProfileExtension } from './assign.ts'
import { linesOf, type ProfileCandidate } from './families.ts'
import { leavesOf, MAX_EXCEPTIONS, mapLeaves, mostFrequent, overrideFor } from './leaves.ts'
import type { VariablePlace, VariablePlaces } from './variables.ts'

/** A profile or a WLAN in a file. */
export type Block = readonly [name: string, fields: ValueObject]

/** The profiles of a file. */
export interface ProfileBlocks {
  /** The profile that all others extend, if they have enough in common. */
  readonly base: Block | undefined
  /** As written, with the base. */
  readonly blocks: readonly Block[]
  readonly summaries: readonly ProfileSummary[]
}

/** The size of a profile, and the number of lines that it saves. */
export interface ProfileSummary {
  readonly name: string
  /** The number of WLANs that extend it. */
  readonly wlans: number
  /** The number of fields that all of them inherit. */
  readonly fields: number
  /** The names of its variables, sorted. */
  readonly variables: readonly string[]
  /** The number of WLANs with overrides. */
  readonly overridden: number
  /** Lines of these WLANs, or of the profiles that extend the base, without it, minus their lines with it. */
  readonly saved: number
}

export function profilesOf(
  candidates: readonly ProfileCandidate[],
  extensions: readonly ProfileExtension[],
  places: VariablePlaces,
  secrets: SecretCatalog
): ProfileBlocks {
  const full = candidates.map(
    (profile): Block => [profile.name, fieldsOf(profile, places, secrets)]
  )
  const summaries = candidates.map(profile => {
    const own = extensions.filter(each => each.profile === profile)
    return summarize(profile, own, places)
  })
  const fields = baseOf(full.map(([, block]) => block))
  if (fields === undefined) return { base: undefined, blocks: full, summaries }
  const names = new UniqueNames('-')
  for (const { name } of candidates) names.take(name)
  const base: Block = [names.take('base'), fields]
  const blocks = full.map(([name, block]): Block => [name, overBase(block, base) ?? block])
  const summary = summarizeBase(base, full, blocks, summaries)
  return summary.saved > 0
    ? { base, blocks: [base, ...blocks], summaries: [summary, ...summaries] }
    : { base: undefined, blocks: full, summaries }
}

function fieldsOf(
  profile: ProfileCandidate,
  places: VariablePlaces,
  secrets: SecretCatalog
): ValueObject {
  return mapLeaves(profile.template, (_, at) => {
    const place = places.get(profile)?.get(at)
    if (place === undefined) return secrets.replaceSecrets(profile.shared.get(at) ?? null)
    return place.secret === undefined ? reference(place) : secrets.referenceTo(place.secret)
  })
}

function reference({ variable: { name }, format }: VariablePlace): ValueObject {
  if (format === undefined) return { $var: name }
  return { $format: `${format.prefix}{${name}}${format.suffix}` }
}

/** A block that extends the base; undefined if it lacks fields of the base. */
export function overBase(fields: ValueObject, [name, base]: Block): ValueObject | undefined {
  const override = overrideFor(base, fields)
  return override.unset.length === 0 ? { $extends: name, ...override.fields } : undefined
}

const MIN_PROFILES = 3

/**
 * The fields that all profiles have, with the value of most of them: a profile that they may all extend.
 * Undefined if there are few profiles, or none of their fields is alike. Values with secrets or references, and
 * SSIDs, stay in their profiles.
 */
function baseOf(profiles: readonly ValueObject[]): ValueObject | undefined {
  if (profiles.length < MIN_PROFILES) return undefined
  const { ssid: _, ...base } = commonMembers(profiles, commonValue)
  return Object.keys(base).length === 0 ? undefined : base
}

function commonValue(values: readonly Value[], name: string): Value | undefined {
  if (values.every(value => isPlain(value) && isSameJson(value, values[0]))) return values[0]
  const isMerged = wlanField.member(name).compare === undefined && values.every(isObject)
  // Blocks within blocks, such as the rates of a band, are not divided.
  const common = isMerged ? commonMembers(values, usualValue) : usualValue(values)
  return isObject(common) && Object.keys(common).length === 0 ? undefined : common
}

function commonMembers(
  objects: readonly ValueObject[],
  commonOf: (values: readonly Value[], name: string) => Value | undefined
): ValueObject {
  const [first = {}, ...others] = objects
  const names = Object.keys(first).filter(name => others.every(each => Object.hasOwn(each, name)))
  const members = names.flatMap((name): [string, Value][] => {
    const values = objects.map(object => object[name] ?? null)
    const common = name.startsWith('$') ? undefined : commonOf(values, name)
    return common === undefined ? [] : [[name, common]]
  })
  return fromEntries(members)
}

function usualValue(values: readonly Value[]): Value | undefined {
  if (values.some(isObject) || !values.every(isPlain)) return undefined
  const most = mostFrequent(values, value => JSON.stringify(value))
  return most.length >= values.length * (1 - MAX_EXCEPTIONS) ? most[0] : undefined
}

function isPlain(value: Value): boolean {
  if (isList(value)) return value.every(isPlain)
  if (!isObject(value)) return !(value instanceof Secret)
  return Object.entries(value).every(([name, inner]) => !name.startsWith('$') && isPlain(inner))
}

function summarize(
  profile: ProfileCandidate,
  extensions: readonly ProfileExtension[],
  places: VariablePlaces
): ProfileSummary {
  const used = [...(places.get(profile)?.values() ?? [])]
  return {
    name: profile.name,
    wlans: extensions.length,
    fields: profile.shared.size,
    variables: [...new Set(used.map(({ variable }) => variable.name))].sort(byCodeUnit),
    overridden: extensions.filter(hasOverride).length,
    saved:
      sum(extensions.map(each => each.member.lines - overrideLines(each))) -
      linesOf(profile.template)
  }
}

/** `full` and `over` are the profiles without the base, and over it. */
function summarizeBase(
  [name, fields]: Block,
  full: readonly Block[],
  over: readonly Block[],
  summaries: readonly ProfileSummary[]
): ProfileSummary {
  const places = [...leavesOf(fields).keys()]
  const overriding = summaries.filter((_, n) => {
    const own = leavesOf(over[n]?.[1] ?? {})
    return places.some(at => own.has(at))
  })
  const linesIn = (blocks: readonly Block[]) => sum(blocks.map(([, block]) => linesOf(block)))
  return {
    name,
    wlans: sum(summaries.map(({ wlans }) => wlans)),
    fields: places.length,
    variables: [],
    overridden: sum(overriding.map(({ wlans }) => wlans)),
    saved: linesIn(full) - linesIn(over) - linesOf(fields)
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
