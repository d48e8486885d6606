import { createHash } from 'node:crypto'
import { byCodeUnit } from '../../core/values/collections.ts'
import { isOfFleet } from '../files/find.ts'
import { IGNORE_FILE, isIgnored, MAX_IGNORE_BYTES, parseIgnoreFile } from '../files/ignore.ts'
import { sourceFrom } from '../files/read.ts'
import type { Source } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import type { Usage } from '../usage.ts'

export interface Revision {
  /** As the user wrote it, e.g. `origin/main`; of a full hash only the first digits. */
  readonly name: string
  /** The object ids of regular files in hexadecimal, by their path in the fleet with `/`. */
  readonly files: ReadonlyMap<string, string>
  /** Reads the contents with these ids. Rejects with a `Failure` if one cannot be read. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
}

/**
 * The files of a fleet at a revision, in the order of their paths. A file that is the same in `now` is that source, so
 * that its declarations are identical objects; the others are read, but not parsed.
 */
export async function sourcesAt(
  revision: Revision,
  now: readonly Source[],
  usage: Usage,
  findings: Findings
): Promise<Iterable<Source>> {
  const present = new Map(now.map(source => [source.inFleet, source]))
  const isFile = await filterAt(revision)
  const files = [...revision.files]
    .filter(([path]) => isFile(path))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([path, id]) => {
      const source = present.get(path)
      return {
        path,
        id,
        same: source && blobId(source.text, id.length) === id ? source : undefined
      }
    })
  const others = files.flatMap(({ same, id }) => (same === undefined ? id : []))
  const contents = await revision.read([...new Set(others)])
  const folder = folderOf(now)
  return (function* () {
    for (const { path, id, same } of files) {
      const content = contents.get(id)
      const name = { file: folder + path, inFleet: path }
      const source = same ?? (content && sourceFrom(bufferOf(content), name, findings))
      if (source === undefined) continue
      usage.add('bytes', source.text.length)
      yield source
    }
  })()
}

/** The same bytes: the types of the package need none of Node. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Tells files of the fleet from others at a revision, by its ignore file. */
async function filterAt({ files, read }: Revision): Promise<(path: string) => boolean> {
  const id = files.get(IGNORE_FILE)
  const content = id === undefined ? undefined : (await read([id])).get(id)
  if (content === undefined || content.length > MAX_IGNORE_BYTES) return isOfFleet
  const rules = parseIgnoreFile(bufferOf(content).toString('utf8'))
  return path => isOfFleet(path) && !isIgnored(path, rules)
}

/** The prefix that makes paths of the fleet relative to the working directory, as for the files of today. */
function folderOf([source]: readonly Source[]): string {
  if (source === undefined || !source.file.endsWith(source.inFleet)) return ''
  return source.file.slice(0, source.file.length - source.inFleet.length)
}

/**
 * The object id of a file with this text in Git: a digest of its length and bytes. The length of the id
 * determines the hash: 40 or 64. The text has no byte order mark, so a file with one does not match.
 */
function blobId(text: string, length: number): string {
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${Buffer.byteLength(text)}\0`)
    .update(text)
    .digest('hex')
}
