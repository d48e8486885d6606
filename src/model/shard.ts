/** One of several parts of a fleet. Each site is in exactly one of them, whatever other sites there are. */
export interface Shard {
  /** Counted from 1. */
  readonly number: number
  /** How many parts there are. */
  readonly of: number
}

/** More parts than these help nobody: each of them reads all files. */
const MOST = 10_000

/** The shard that `3/8` stands for; undefined for what stands for none. */
export function parseShard(text: string): Shard | undefined {
  const [, first = '', second = ''] = /^([1-9]\d{0,4})\/([1-9]\d{0,4})$/.exec(text) ?? []
  const shard = { number: Number(first), of: Number(second) }
  return first !== '' && shard.number <= shard.of && shard.of <= MOST ? shard : undefined
}

export function formatShard({ number, of }: Shard): string {
  return `${number}/${of}`
}

/** True if the site is in the shard: by its id alone, in either case. */
export function isInShard(siteId: string, { number, of }: Shard): boolean {
  return spread(siteId.toLowerCase()) % of === number - 1
}

/**
 * A number that ids are spread over evenly, however alike they are: 32-bit FNV-1a with the finish of
 * MurmurHash3. It must stay what it is, or parts that different versions made would not fit together.
 */
function spread(id: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
