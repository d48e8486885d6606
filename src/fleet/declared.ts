import { collect, type Declarations, declarationsOf, type FileDeclarations } from './documents.ts'
import { parseSource } from './files/read.ts'
import type { Source } from './files/source.ts'
import type { Findings } from './findings.ts'
import { Groups } from './groups.ts'
import { type FleetSite, joinSites } from './sites.ts'
import type { Usage } from './usage.ts'
import { expectManySites, limitHeapGrowth } from './v8-flags.ts'
import { type KnownBlocks, PlainBlock } from './yaml/fast-reader.ts'
import type { Node } from './yaml/tree.ts'

/** A fleet whose files are parsed and whose sites are joined; its WLANs are not resolved. */
export interface DeclaredFleet {
  readonly files: ReadonlyMap<Source, FileDeclarations>
  readonly declarations: Declarations
  readonly groups: Groups
  readonly sites: readonly FleetSite[]
  /** False if a file could not be parsed, so that declarations may be missing. */
  readonly isComplete: boolean
}

export interface Parsing {
  readonly findings: Findings
  readonly usage: Usage
}

/** Parses files, except those that a load before this one `parsed`, and joins the sites that they declare. */
export async function declaredFleet(
  sources: Iterable<Source>,
  parsing: Parsing,
  parsed: DeclaredFleet['files'] = new Map()
): Promise<DeclaredFleet> {
  return joinFiles(await parseAll(sources, parsing, parsed), parsing)
}

export function joinFiles(
  files: DeclaredFleet['files'],
  { findings, usage }: Parsing
): DeclaredFleet {
  const declarations = collect(files.values(), findings)
  const isComplete = !findings.hasError
  const groups = new Groups(declarations.groups, findings)
  const sites = joinSites(declarations.sites, groups, usage, findings)
  return { files, declarations, groups, sites, isComplete }
}

/** The number of characters of a fleet above which compiling the program takes longer than running it. */
const MANY_SITES = 256 * 1024

/** The number of characters of a fleet, and of a file, above which memory matters more than time. */
const LARGE_FLEET = 8 * 1024 * 1024
const LARGE_FILE = 128 * 1024

async function parseAll(
  sources: Iterable<Source>,
  { findings, usage }: Parsing,
  parsed: DeclaredFleet['files']
): Promise<DeclaredFleet['files']> {
  const files = new Map<Source, FileDeclarations>()
  const known: KnownBlocks = new Map()
  let characters = 0
  let isLarge = false
  for (const source of sources) {
    const before = characters
    characters += source.text.length
    if (before <= MANY_SITES && characters > MANY_SITES) await expectManySites()
    if (!isLarge && (characters > LARGE_FLEET || source.text.length > LARGE_FILE)) {
      isLarge = true
      await limitHeapGrowth()
    }
    const earlier = parsed.get(source)
    if (earlier === undefined) findings.pushAll(await parseSource(source, known))
    const declared = earlier ?? declarationsOf(source, findings)
    files.set(source, declared)
    if (earlier === undefined) usage.add('nodes', nodesKept(source))
    await usage.time.pause()
  }
  return files
}

/** The memory of a node from the library relative to one of the fast reader: its tokens are freed late. */
const LIBRARY = 3

function nodesKept({ root, isPlain }: Source): number {
  return root === undefined ? 0 : (isPlain ? 1 : LIBRARY) * nodesIn(root)
}

function nodesIn(node: Node): number {
  if (node.kind === 'scalar' || node instanceof PlainBlock) return 1
  if (node.kind === 'list') return node.items.reduce((sum, item) => sum + nodesIn(item), 1)
  let sum = 1
  for (const { value } of node.entries.values()) sum += 1 + nodesIn(value)
  return sum
}
