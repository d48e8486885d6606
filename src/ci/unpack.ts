import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { exit, Failure, reasonOf } from '../core/model/failure.ts'
import { MAX_UNPACKED } from './forge.ts'

/** The maximum number of entries of an artifact. */
const MAX_ENTRIES = 1000

/** The maximum number of entries of a commit: a snapshot folder has one for each site. */
export const MAX_COMMIT_ENTRIES = 50_000

/**
 * Writes the wanted files of a zip archive, without their first folder, to a folder, which it creates, and returns their
 * names: an artifact of GitLab and the archive of a commit have one folder for all. Throws a `Failure` and writes nothing if the archive is damaged, has an entry outside of its folder, two of one
 * name or more than `maxEntries`, or holds more than `MAX_UNPACKED` bytes, by its own account or in truth.
 */
export async function unpack(
  archive: Uint8Array,
  isWanted: (name: string) => boolean,
  folder: string,
  maxEntries = MAX_ENTRIES
): Promise<readonly string[]> {
  const files = await readFiles(archive, isWanted, maxEntries).catch(thrown => {
    throw new Failure(exit.failed, `the archive is not usable: ${reasonOf(thrown)}`)
  })
  await mkdir(folder, { recursive: true })
  for (const [name, content] of files) await writeFile(join(folder, name), content)
  return [...files.keys()]
}

async function readFiles(
  archive: Uint8Array,
  isWanted: (name: string) => boolean,
  maxEntries: number
) {
  const zip = await opened(Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength))
  if (zip.entryCount > maxEntries) throw new Error(`it has ${zip.entryCount} entries`)
  const entries = new Map<string, Entry>()
  for (const entry of await entriesOf(zip)) {
    const name = entry.fileName.replace(/^[^/]+\//, '')
    if (entries.has(name)) throw new Error('it has two entries of one name')
    entries.set(name, entry)
  }
  const size = [...entries.values()].reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (size > MAX_UNPACKED) throw new Error(`it holds ${size} bytes`)
  const files = new Map<string, Buffer>()
  for (const [name, entry] of entries) {
    if (isWanted(name)) files.set(name, await contentOf(zip, entry))
  }
  return files
}

/** yauzl rejects names that are absolute, contain a backslash, or leave the folder. */
function opened(archive: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(
      archive,
      { autoClose: false, lazyEntries: true, strictFileNames: true },
      (error, zip) => (error ? reject(error) : resolve(zip))
    )
  })
}

function entriesOf(zip: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('error', reject)
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

/** yauzl ends the stream with an error if it is longer or shorter than the entry says; it does not check the sum. */
async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const content = Buffer.concat(chunks)
  if (crc32(content) !== entry.crc32) throw new Error('a checksum is wrong')
  return content
}
