import { createHash } from 'node:crypto'
import { byCodeUnit } from '../../model/collections.ts'
import { finding } from '../../model/finding.ts'
import type { RunBudget } from '../budget.ts'
import { isOfFleet } from '../files/find.ts'
import { sourceFrom } from '../files/read.ts'
import type { Source } from '../files/source.ts'
import { declaresOneSite, nodesKept, TreeCache } from '../files/tree-cache.ts'
import type { Findings } from '../findings.ts'
import { Pace } from '../pace.ts'
import { parseSource } from '../yaml/parse.ts'

/**
 * The files of a fleet as they were then, parsed. One that is the same by now is not read and parsed
 * again: it is the very source in `now`, so that what it declares is the same by identity.
 */
export async function sourcesThen(
  revision: Revision,
  now: readonly Source[],
  budget: RunBudget,
  findings: Findings
): Promise<Source[]> {
  const present = new Map(now.map(source => [source.inFleet, source]))
  const files = [...revision.files].filter(([path]) => isOfFleet(path))
  files.sort(([a], [b]) => byCodeUnit(a, b))
  const kept = new Map<string, Source>()
  for (const [path, id] of files) {
    const source = present.get(path)
    if (source !== undefined && idOf(source.text, id.length) === id) kept.set(path, source)
  }
  const others = files.filter(([path]) => !kept.has(path))
  const contents = await revision.read([...new Set(others.map(([, id]) => id))])
  const trees = new TreeCache()
  const pace = new Pace()
  const sources: Source[] = []
  for (const [path, id] of files) {
    const source =
      kept.get(path) ?? (await parsed(path, contents.get(id), findings, { budget, trees }))
    if (source !== undefined) sources.push(source)
    if (pace.isOver) await pace.turn()
    if (budget.exceeded !== undefined) break
  }
  const { exceeded } = budget
  if (exceeded !== undefined) findings.push(finding('FLEET_TOO_LARGE', {}, ...exceeded))
  return sources
}

/** The file with this content, read; undefined if it is not there, or is no text. */
async function parsed(
  path: string,
  content: Buffer | undefined,
  findings: Findings,
  { budget, trees }: { readonly budget: RunBudget; readonly trees: TreeCache }
): Promise<Source | undefined> {
  const source = content && sourceFrom(content, { file: path, inFleet: path }, findings)
  if (source === undefined || !budget.take('bytes', source.text.length)) return source
  findings.pushAll(await parseSource(source, budget))
  const isReadAgain = source.isPlain && declaresOneSite(source)
  if (isReadAgain) trees.add(source)
  budget.take('nodes', nodesKept(source, isReadAgain))
  return source
}

/**
 * The id that git gives to a file of this text: a digest of its length and its bytes. It is of one of
 * two kinds, told by how long it is. A byte order mark is not in the text: such a file counts as another.
 */
function idOf(text: string, length: number): string {
  const bytes = Buffer.from(text)
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')
}

/** The files of a fleet as an earlier commit has them. */
export interface Revision {
  /** As the user named it, e.g. `origin/main`. */
  readonly name: string
  /** Plain files only, by their path in the fleet with `/`: the id of their content, in hexadecimal. */
  readonly files: ReadonlyMap<string, string>
  /** The contents with these ids. Rejects with a `Failure` if one cannot be had. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
}
