import { byCodeUnit } from '../../model/collections.ts'
import type { Part, Site } from '../../model/desired.ts'
import { exit, Failure } from '../../model/failure.ts'
import { isInShard, parseShard, type Shard } from '../../model/shard.ts'
import { plural } from '../../model/text.ts'

/** What a file is to be merged for, and its name for messages. */
export interface Piece<Whole> {
  readonly name: string
  readonly value: Whole
}

/** Why these files cannot be merged, as a `Failure` (exit 3). */
export function unfit(problem: string, hint: string): Failure {
  return new Failure(exit.wrongInput, problem, hint)
}

/** Throws unless all pieces agree in what the first one says of this, e.g. in the service. */
export function checkSame<Whole>(
  pieces: readonly Piece<Whole>[],
  what: string,
  said: (value: Whole) => string
): void {
  const [first, ...others] = pieces
  const other = first && others.find(({ value }) => said(value) !== said(first.value))
  if (first === undefined || other === undefined) return
  throw unfit(
    `${first.name} and ${other.name} do not have the same ${what}: ${said(first.value)} and ${said(other.value)}`,
    'merge the parts of one run only'
  )
}

/** The pieces that continue no other: one that is whole, or each shard once. Throws if they are not. */
export function wholeOf<Whole extends Part>(
  pieces: readonly Piece<Whole>[]
): readonly Piece<Whole>[] {
  const bases = pieces.filter(({ value }) => value.continues === undefined)
  const [first, second] = bases
  if (first === undefined) {
    throw unfit(
      `${named(pieces)} only ${pieces.length === 1 ? 'continues' : 'continue'} other runs`,
      'give the file that was continued, too'
    )
  }
  if (second === undefined && first.value.shard === undefined) return bases
  const whole = bases.find(({ value }) => value.shard === undefined)
  if (whole !== undefined) {
    throw unfit(
      `${whole.name} is no shard, and covers a whole by itself`,
      'merge shards with shards, or a run with those that continue it'
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
      throw unfit(`the shard ${number}/${of} is in ${other} and in ${name}`, 'give it once')
    }
    byNumber.set(number, name)
  }
  const missing = Array.from({ length: of }, (_, n) => n + 1).filter(n => !byNumber.has(n))
  if (missing.length === 0) return
  const some = missing.slice(0, 20).map(number => `${number}/${of}`)
  const more = missing.length > some.length ? ` and ${missing.length - some.length} more` : ''
  throw unfit(
    `${plural(missing.length, 'shard')} of ${of} ${missing.length === 1 ? 'is' : 'are'} missing: ${some.join(', ')}${more}`,
    'without them the whole would look smaller than it is'
  )
}

/** The schema has let it pass, but for a shard that is more than there are. */
function shardIn(text: string | undefined): Shard {
  const shard = parseShard(text ?? '')
  if (shard === undefined) throw unfit(`there is no shard ${text}`, 'the file was edited')
  return shard
}

/** Throws if a shard holds a site that belongs to another one. */
export function checkMembers(piece: Piece<Part>, sites: readonly Site[]): void {
  const { shard } = piece.value
  const stranger = shard && sites.find(({ id }) => !isInShard(id, shardIn(shard)))
  if (stranger) {
    throw unfit(
      `${piece.name} is the shard ${shard}, and ${stranger.name} is in another`,
      'it was edited'
    )
  }
}

/** A part, and when it was made. */
type Dated = Part & { readonly created: string }

/** A site that could not be read, and the piece that says so. */
export interface Left<Whole, S extends Site> {
  readonly piece: Piece<Whole>
  readonly site: S
}

/**
 * The sites that nobody could read, sorted by name: what the bases could not, less what others continued,
 * and more what those could not. Throws if a piece continues what is not left: then one of its sites is
 * in two pieces, or what it continues is in none.
 */
export function stillLeft<Whole extends Dated, S extends Site>(
  pieces: readonly Piece<Whole>[],
  unread: (value: Whole) => readonly S[]
): Left<Whole, S>[] {
  const left = new Map<string, Left<Whole, S>>()
  const take = (piece: Piece<Whole>) => {
    for (const site of unread(piece.value)) left.set(site.id.toLowerCase(), { piece, site })
  }
  for (const base of wholeOf(pieces)) take(base)
  let waiting = pieces.filter(({ value }) => value.continues !== undefined).sort(byTurn)
  while (waiting.length > 0) {
    const isReady = ({ value }: Piece<Whole>) =>
      (value.continues ?? []).every(id => left.has(id.toLowerCase()))
    const ready = waiting.find(isReady)
    if (ready === undefined) throw notLeft(waiting)
    for (const id of ready.value.continues ?? []) left.delete(id.toLowerCase())
    take(ready)
    waiting = waiting.filter(piece => piece !== ready)
  }
  return [...left.values()].sort((a, b) => byCodeUnit(a.site.name, b.site.name))
}

/** Who continues a run that continued another covers no more than that one did. */
function byTurn({ value: a }: Piece<Dated>, { value: b }: Piece<Dated>): number {
  const sizes = (b.continues?.length ?? 0) - (a.continues?.length ?? 0)
  return sizes || byCodeUnit(a.created, b.created)
}

function notLeft(waiting: readonly Piece<unknown>[]): Failure {
  return unfit(
    `${named(waiting)} ${waiting.length === 1 ? 'continues' : 'continue'} what is not left by the other files`,
    'give every file between the first run and the last one, each once'
  )
}

function named(pieces: readonly Piece<unknown>[]): string {
  return pieces.map(({ name }) => name).join(', ')
}
