/** One of several parts of a fleet; each site is in exactly one, regardless of other sites. */
export interface Shard {
  /** Counted from 1. */
  readonly number: number
  readonly of: number
}

/** The maximum number of parts, because each of them reads all files. */
const MAX_SHARDS = 10_000

/** Parses a shard such as `3/8`; undefined for any other text. */
export function parseShard(text: string): Shard | undefined {
  const [, first = '', second = ''] = /^([1-9]\d{0,4})\/([1-9]\d{0,4})$/.exec(text) ?? []
  const shard = { number: Number(first), of: Number(second) }
  return first !== '' && shard.number <= shard.of && shard.of <= MAX_SHARDS ? shard : undefined
}

export function formatShard({ number, of }: Shard): string {
  return `${number}/${of}`
}

/** True if the site is in the shard, which depends only on its id, in either case. */
export function isInShard(siteId: string, { number, of }: Shard): boolean {
  return hashOf(siteId.toLowerCase()) % of === number - 1
}

/** 32-bit FNV-1a with the finalizer of MurmurHash3. It never changes: shards must be disjoint. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
