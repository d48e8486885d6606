import { createHash } from 'node:crypto'
import type { Revision } from '../../../src/fleet/since/revision.ts'

/** A revision with these files, which logs the contents that are read. */
export function revisionOf(
  files: Readonly<Record<string, string>>
): Revision & { readonly asked: string[] } {
  const contents = new Map(Object.values(files).map(text => [idOf(text), Buffer.from(text)]))
  const asked: string[] = []
  return {
    name: 'main',
    asked,
    files: new Map(Object.entries(files).map(([path, text]) => [path, idOf(text)])),
    async read(ids) {
      asked.push(...ids)
      return contents
    }
  }
}

function idOf(text: string): string {
  const bytes = Buffer.from(text)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
