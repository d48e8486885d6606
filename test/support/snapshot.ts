import { parseSaved } from '../../src/files/saved-file.ts'
import { intactSnapshot, type Snapshot, snapshotForm } from '../../src/files/snapshot.ts'

/** The snapshot in the text of a file of this name. Throws a `Failure` unless it is complete and unmodified. */
export function parseSnapshot(text: string, name: string): Snapshot {
  return intactSnapshot(parseSaved(text, name, snapshotForm).value, name)
}
