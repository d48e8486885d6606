import type { Impact } from '../model/plan.ts'
import { type Pointer, steps } from '../model/pointer.ts'
import {
  type Compare,
  type FieldAnnotation,
  type Ranking,
  root,
  type SchemaNode,
  subschemasOf
} from './schema.ts'

export type { Compare, Ranking } from './schema.ts'

/** What the schema says of one field, to be walked in parallel with a value. */
export interface Field {
  /** False for a field that the schema does not have; only an inherited impact is known of it. */
  readonly known: boolean
  readonly secret: boolean
  /** True for a field that the service keeps itself. */
  readonly readOnly: boolean
  readonly deprecated: boolean
  readonly compare?: Compare
  /** The member that identifies an element of this list of objects, e.g. `host`. */
  readonly key?: string
  /** What a change does to clients; inherited from above, unless it depends on a case there. */
  readonly impact?: Impact
  /** The one case in which it does: the value becomes false, or an element goes away. */
  readonly impactWhen?: 'false' | 'removed'
  readonly unit?: string
  /** Which of its known values are safer than others; absent where none is. */
  readonly safer?: Ranking
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  /** What a text must look like, in words, e.g. `a UUID`. */
  readonly shape: string | undefined
  /** What the service takes where the field is absent. For people; it is never sent. */
  readonly default: unknown
  /** The names of the declared members; none for a map with free keys. */
  memberNames(): readonly string[]
  /** The field of a member of this object, or of an entry of this map. */
  member(name: string): Field
  /** The field of the elements of this list. */
  item(): Field
}

/** A field without the way to those below it. */
type Facts = Omit<Field, 'memberNames' | 'member' | 'item'>

/** The fields of a WLAN. */
export const wlanField: Field = fieldOf([root])

/**
 * The service grows: a field that the schema does not have yet is a secret if its name says so, and so is
 * all that is in it: `preshared_key`, `api_token`, `psk_list`, `passwords`, `wep_key_1`, `apiKey`.
 */
const SOUNDS_SECRET =
  /(?:secret|passw(?:or)?d|passphrase|psk|token|credential|(?:^|[_-])(?:key|kek|mack|pin|otp))s?(?:[_-]?lists?)?(?:[_-]?\d+)?$/i

/** The same words where capitals part them: `presharedKeys`, `loginPin`. */
const SOUNDS_SECRET_IN_CAMEL_CASE = /[a-z\d](?:Key|Kek|Mack|Pin|Otp)s?(?:List)?\d*$/

/** The field at a place in a WLAN; in a list every index stands for its elements. */
export function fieldAt(pointer: Pointer): Field {
  return steps(pointer).reduce((field, step) => {
    const item = /^\d+$/.test(step) ? field.item() : undefined
    return item?.known ? item : field.member(step)
  }, wlanField)
}

/** The field that these nodes describe; those below it are read when somebody asks, and kept. */
function fieldOf(nodes: readonly SchemaNode[], above?: Facts): Field {
  const parts = nodes.flatMap(subschemasOf)
  const facts = factsOf(parts, above)
  const names = new Set(parts.flatMap(part => Object.keys(part.properties ?? {})))
  const members = new Map<string, Field>()
  const read = (pick: (part: SchemaNode) => SchemaNode | undefined) =>
    fieldOf(
      parts.flatMap(part => pick(part) ?? []),
      facts
    )
  let entry: Field | undefined
  let item: Field | undefined
  return {
    ...facts,
    memberNames: () => [...names],
    member(name) {
      const kept = members.get(name)
      if (kept !== undefined) return kept
      if (!names.has(name)) {
        entry ??= read(entriesOf)
        return entry.known || !soundsSecret(name) ? entry : secretOf(entry)
      }
      const member = read(part => part.properties?.[name])
      members.set(name, member)
      return member
    },
    item() {
      item ??= read(part => part.items)
      return item
    }
  }
}

function soundsSecret(name: string): boolean {
  return SOUNDS_SECRET.test(name) || SOUNDS_SECRET_IN_CAMEL_CASE.test(name)
}

/** An unknown field that is a secret, as is whatever is in it. */
function secretOf(unknown: Field): Field {
  const field: Field = { ...unknown, secret: true, member: () => field, item: () => field }
  return field
}

/** What the annotations say; of several, the one nearest to the field is laid over the others. */
function factsOf(parts: readonly SchemaNode[], above: Facts | undefined): Facts {
  const annotations = parts.flatMap(part => part['x-wlanctl'] ?? []).reverse()
  const annotation: FieldAnnotation = Object.assign({}, ...annotations)
  const first = <K extends keyof SchemaNode>(keyword: K): SchemaNode[K] | undefined =>
    parts.find(part => part[keyword] !== undefined)?.[keyword]
  return {
    known: parts.length > 0,
    secret: false,
    readOnly: false,
    deprecated: first('deprecated') === true,
    default: first('default'),
    minimum: first('minimum'),
    maximum: first('maximum'),
    shape: parts.find(part => part.pattern !== undefined)?.title,
    ...(above?.impact === undefined || above.impactWhen ? {} : { impact: above.impact }),
    ...annotation
  }
}

/** What a map says of the entries whose names it leaves free. */
function entriesOf(part: SchemaNode): SchemaNode | undefined {
  return typeof part.additionalProperties === 'object' ? part.additionalProperties : undefined
}
