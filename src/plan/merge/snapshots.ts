import { byCodeUnit } from '../../model/collections.ts'
import { type Snapshot, sealSnapshot } from '../snapshot.ts'
import { checkMembers, checkSame, type Piece, stillLeft, unfit } from './parts.ts'

/** The snapshot of the whole, out of those of its parts; as with plans. */
export function mergeSnapshots(pieces: readonly Piece<Snapshot>[]): Snapshot {
  checkSame(pieces, 'service', snapshot => snapshot.base_url)
  checkSame(pieces, 'program', snapshot => snapshot.tool)
  for (const piece of pieces) checkMembers(piece, [...piece.value.sites, ...piece.value.unread])
  const left = stillLeft(pieces, ({ unread }) => unread)
  checkOnce(pieces)
  const snapshots = pieces.map(({ value }) => value)
  const { tool, base_url } = snapshots[0] as Snapshot
  return sealSnapshot(
    snapshots.flatMap(({ sites }) => sites),
    left.map(({ site }) => site),
    {
      tool,
      created: snapshots.map(({ created }) => created).sort(byCodeUnit)[0] ?? '',
      base_url,
      requests: snapshots.reduce((sum, { summary }) => sum + summary.requests, 0)
    }
  )
}

/** Throws if two pieces hold one site. */
function checkOnce(pieces: readonly Piece<Snapshot>[]): void {
  const seen = new Map<string, string>()
  for (const { name, value } of pieces) {
    for (const site of value.sites) {
      const id = site.id.toLowerCase()
      const other = seen.get(id)
      if (other !== undefined) {
        throw unfit(`${site.name} is in ${other} and in ${name}`, 'give each part once')
      }
      seen.set(id, name)
    }
  }
}
