import { type Pointer, steps } from '../../model/pointer.ts'
import { Secret } from '../../model/secret.ts'
import { isObject, type Value, type ValueObject } from '../../model/value.ts'
import { mapLines } from '../../yaml-edit/write.ts'
import type { Pause } from '../plain.ts'
import type { ImportedSite } from '../site.ts'
import type { Member, WlanFamily } from './families.ts'
import { middleOf } from './format.ts'
import type { Kind } from './kinds.ts'
import { overrides, withLeaves } from './leaves.ts'
import type { Uses, Variable, VariableUse } from './variables.ts'

/** A WLAN that extends a profile. */
export interface Assigned {
  readonly member: Member
  readonly kind: Kind
  /** What it says otherwise; empty for one that is as the profile has it. */
  readonly over: ValueObject
  /** What its site gives the variables that it needs. */
  readonly vars: Vars
}

/** Stands where a site gives no value: like no other. */
const NOTHING = new Secret({ $live: true }, undefined)

type Vars = ReadonlyMap<Variable, Value>

/**
 * Finds the profile of each member of each family. What a site gives a variable for one WLAN holds for its
 * others, too: where they would need another value, they say theirs themselves.
 */
export async function assignAll(
  families: readonly (readonly [WlanFamily, readonly Kind[]])[],
  uses: Uses,
  pause: Pause
): Promise<Assigned[]> {
  const given = new Map<ImportedSite, Vars>()
  const all: Assigned[] = []
  for (const [{ members }, kinds] of families) {
    for (const member of members) {
      await pause()
      const before = given.get(member.site) ?? new Map()
      const assigned = assign(member, kinds, uses, before)
      if (assigned === undefined) continue
      given.set(member.site, new Map([...before, ...assigned.vars]))
      all.push(assigned)
    }
  }
  return all
}

/**
 * The profile that a WLAN extends, the one of these over which it has the least to say. Undefined if
 * none can become the WLAN, or if that would take as many lines as the WLAN itself.
 */
function assign(
  member: Member,
  kinds: readonly Kind[],
  uses: Uses,
  given: Vars
): Assigned | undefined {
  const all = kinds.flatMap(kind => {
    return extended(member, kind, uses.get(kind) ?? new Map(), given) ?? []
  })
  const [best] = all.sort((a, b) => linesIn(a.over) - linesIn(b.over))
  if (best === undefined) return undefined
  return linesIn(best.over) < linesIn(member.wlan.fields) ? best : undefined
}

function linesIn(fields: ValueObject): number {
  return mapLines(fields, 0).length
}

function extended(
  member: Member,
  kind: Kind,
  uses: ReadonlyMap<Pointer, VariableUse>,
  given: Vars
): Assigned | undefined {
  const { site, leaves, wlan } = member
  const values = new Map(given)
  for (const [at, { variable, format }] of uses) {
    if (values.has(variable)) continue
    const value = variable.values.get(site) ?? givenBy(leaves.get(at), format, variable)
    if (value !== undefined) values.set(variable, value)
  }
  const base = withLeaves(kind.model, (_, at) => {
    const use = uses.get(at)
    return (use === undefined ? kind.shared.get(at) : used(use, values)) ?? NOTHING
  })
  const over = overrides(base, wlan.fields)
  if (over === undefined) return undefined
  const needed = [...uses].filter(([at]) => !isCovered(over, at))
  const vars = new Map(
    needed.flatMap(([, { variable }]) => {
      const value = values.get(variable)
      return value === undefined ? [] : [[variable, value] as const]
    })
  )
  return { member, kind, over, vars }
}

/** What a site's own value makes of the variable; of the same type as on the other sites. */
function givenBy(
  leaf: Value | undefined,
  format: VariableUse['format'],
  { values }: Variable
): Value | undefined {
  if (format === undefined) return leaf
  const middle = middleOf(leaf, format.prefix, format.suffix)
  const [other] = values.values()
  if (middle === undefined || typeof other !== 'number') return middle
  return String(Number(middle)) === middle ? Number(middle) : undefined
}

/** The value that a place of the profile has on a site with these variables. */
function used({ variable, format }: VariableUse, values: Vars): Value | undefined {
  const value = values.get(variable)
  if (format === undefined || value === undefined) return value
  return `${format.prefix}${String(value)}${format.suffix}`
}

/** True if what is laid over the profile replaces this place. */
function isCovered(over: ValueObject, at: Pointer): boolean {
  let value: Value | undefined = over
  for (const step of steps(at)) {
    if (!isObject(value)) return true
    if (!Object.hasOwn(value, step)) return false
    value = value[step]
  }
  return true
}

/** True for a site whose WLANs are all as their profiles have them. */
export function isRegular(assigned: readonly Assigned[]): boolean {
  return assigned.every(({ over }) => Object.keys(over).length === 0)
}

/** The variables that a site needs, each once. */
export function varsOf(assigned: readonly Assigned[]): Vars {
  return new Map(assigned.flatMap(({ vars }) => [...vars]))
}
