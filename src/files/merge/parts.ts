import type { Part, Site } from '../../core/model/desired.ts'
import { type Failure, wrongInput } from '../../core/model/failure.ts'
import { isInShard, parseShard, type Shard } from '../../core/model/shard.ts'
import { byCodeUnit, sortBy } from '../../core/values/collections.ts'
import { listFirst, plural } from '../../core/values/text.ts'

/** The content of a file to merge, and its name for messages. */
export interface Piece<Whole> {
  readonly name: string
  readonly value: Whole
}

/** Makes a `Failure` (exit 3): the files cannot be merged. */
export function cannotMerge(problem: string, hint: string): Failure {
  return wrongInput(problem, hint)
}

/** Throws unless all pieces have the same value, e.g. the same service. */
export function checkSame<Whole>(
  pieces: readonly Piece<Whole>[],
  label: string,
  partOf: (value: Whole) => string
): void {
  const [first, ...others] = pieces
  const other = first && others.find(({ value }) => partOf(value) !== partOf(first.value))
  if (first === undefined || other === undefined) return
  throw cannotMerge(
    `${first.name} and ${other.name} differ in their ${label}: ${partOf(first.value)} and ${partOf(other.value)}`,
    'merge only parts of the same run'
  )
}

/** The pieces that are not continuations: one whole run, or each shard once. Throws otherwise. */
export function basesOf<Whole extends Part>(
  pieces: readonly Piece<Whole>[]
): readonly Piece<Whole>[] {
  const bases = pieces.filter(({ value }) => value.continues === undefined)
  const [first, second] = bases
  if (first === undefined) {
    throw cannotMerge(
      `${named(pieces)} only ${pieces.length === 1 ? 'continues' : 'continue'} other runs`,
      'also give the file of the run that they continue'
    )
  }
  if (second === undefined && first.value.shard === undefined) return bases
  const whole = bases.find(({ value }) => value.shard === undefined)
  if (whole !== undefined) {
    throw cannotMerge(
      `${whole.name} is not a shard: it covers the whole fleet`,
      'merge shards with shards, or a run with its continuations'
    )
  }
  checkSame(bases, 'number of shards', ({ shard }) => String(shardIn(shard).of))
  checkShards(bases)
  return bases
}

function checkShards(bases: readonly Piece<Part>[]): void {
  const byNumber = new Map<number, string>()
  const { of } = shardIn(bases[0]?.value.shard)
  for (const { name, value } of bases) {
    const { number } = shardIn(value.shard)
    const other = byNumber.get(number)
    if (other !== undefined) {
      throw cannotMerge(
        `the shard ${number}/${of} is in ${other} and in ${name}`,
        'give each shard once'
      )
    }
    byNumber.set(number, name)
  }
  const missing = Array.from({ length: of }, (_, n) => n + 1).filter(n => !byNumber.has(n))
  if (missing.length === 0) return
  throw cannotMerge(
    `${plural(missing.length, 'shard')} of ${of} ${missing.length === 1 ? 'is' : 'are'} missing: ${listFirst(
      missing.map(number => `${number}/${of}`),
      20
    )}`,
    'give the file of every shard: without them the result is incomplete'
  )
}

/** The schema accepts all shards except for numbers above the count, such as `9/8`. */
function shardIn(text: string | undefined): Shard {
  const shard = parseShard(text ?? '')
  if (shard === undefined)
    throw cannotMerge(`invalid shard ${text}`, 'the file was edited: plan again')
  return shard
}

/** Throws if a shard contains a site of another shard. */
export function checkMembers(piece: Piece<Part>, sites: readonly Site[]): void {
  const { shard } = piece.value
  const foreign = shard && sites.find(({ id }) => !isInShard(id, shardIn(shard)))
  if (foreign) {
    throw cannotMerge(
      `${piece.name} is the shard ${shard}, and ${foreign.name} belongs to another`,
      'the file was edited: plan again'
    )
  }
}

/**
 * Throws if two pieces have an entry with the same key: a site of snapshots, or a WLAN of plans. `entries`
 * returns the key and the name of each entry.
 */
export function checkOnce<Whole>(
  pieces: readonly Piece<Whole>[],
  entries: (value: Whole) => readonly (readonly [key: string, name: string])[]
): void {
  const seen = new Map<string, string>()
  for (const piece of pieces) {
    for (const [key, name] of entries(piece.value)) {
      const other = seen.get(key)
      if (other !== undefined) {
        throw cannotMerge(`${name} is in ${other} and in ${piece.name}`, 'give each part once')
      }
      seen.set(key, piece.name)
    }
  }
}

type Dated = Part & { readonly created: string }

/** An unread site, and the piece that lists it. */
export interface UnreadIn<Whole, S extends Site> {
  readonly piece: Piece<Whole>
  readonly site: S
}

/**
 * The sites that no run could read, sorted by name: the unread sites of the base pieces, without those that a
 * continuation read. Throws if a piece continues sites that no other piece lists as unread: one of its sites
 * is in two pieces, or the continued piece is missing.
 */
export function stillUnread<Whole extends Dated, S extends Site>(
  pieces: readonly Piece<Whole>[],
  unread: (value: Whole) => readonly S[]
): UnreadIn<Whole, S>[] {
  const left = new Map<string, UnreadIn<Whole, S>>()
  const take = (piece: Piece<Whole>) => {
    for (const site of unread(piece.value)) left.set(site.id.toLowerCase(), { piece, site })
  }
  for (const base of basesOf(pieces)) take(base)
  let waiting = pieces.filter(({ value }) => value.continues !== undefined).sort(bySizeAndTime)
  while (waiting.length > 0) {
    const isNext = ({ value }: Piece<Whole>) =>
      (value.continues ?? []).every(id => left.has(id.toLowerCase()))
    const next = waiting.find(isNext)
    if (next === undefined) throw missingBase(waiting)
    for (const id of next.value.continues ?? []) left.delete(id.toLowerCase())
    take(next)
    waiting = waiting.filter(piece => piece !== next)
  }
  return sortBy(left.values(), ({ site }) => site.name)
}

/**
 * Orders pieces so that a continuation follows the one that it continues: it covers at most the same sites.
 */
function bySizeAndTime({ value: a }: Piece<Dated>, { value: b }: Piece<Dated>): number {
  const sizes = (b.continues?.length ?? 0) - (a.continues?.length ?? 0)
  return sizes || byCodeUnit(a.created, b.created)
}

function missingBase(waiting: readonly Piece<unknown>[]): Failure {
  return cannotMerge(
    `${named(waiting)} ${waiting.length === 1 ? 'continues' : 'continue'} sites that the other files do not leave unread`,
    'give the file of every run from the first to the last, each once'
  )
}

function named(pieces: readonly Piece<unknown>[]): string {
  return pieces.map(({ name }) => name).join(', ')
}
