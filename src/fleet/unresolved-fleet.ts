import { exit, Failure } from '../core/model/failure.ts'
import { isError } from '../core/model/finding.ts'
import { collect, declarationsOf, type SiteDeclaration } from './documents.ts'
import { type FleetFile, findFiles } from './files/find.ts'
import { parseSource, read } from './files/read.ts'
import type { Source } from './files/source.ts'
import { Findings } from './findings.ts'
import { Groups } from './groups.ts'
import { RunBudget } from './limits.ts'
import { TimeSlice } from './load-context.ts'
import { type FleetSite, joinSites } from './sites.ts'
import { type Layer, Profiles } from './wlans/profiles.ts'
import type { MapNode, SourceFile } from './yaml/tree.ts'

/** The unresolved declarations of a fleet, for edits of its files. */
export interface UnresolvedFleet {
  readonly sites: readonly FleetSite[]
  /** The sites as each file declares them; several files may declare one site. */
  readonly declarations: readonly SiteDeclaration[]
  /** The declarations that are merged to a WLAN, in descending precedence. */
  layersOf(block: MapNode, override?: MapNode): Layer[]
}

/** Reads the declarations of a fleet from files that are parsed and valid. */
export function readUnresolved(sources: readonly SourceFile[]): UnresolvedFleet {
  const findings = new Findings()
  const files = sources.map(source => declarationsOf(source, findings))
  const declarations = collect(files, findings)
  const budget = new RunBudget().resolving
  const groups = new Groups(declarations.groups, budget, findings)
  const run = { budget, findings }
  const profiles = new Profiles(declarations.profiles, run)
  return {
    sites: joinSites(declarations.sites, groups, budget, findings),
    declarations: declarations.sites,
    layersOf: (block, override) => profiles.layersOf(block, override)
  }
}

/** A file of a fleet that was read and parsed. */
export interface ReadFile {
  readonly file: FleetFile
  readonly source: Source
}

/** Reads the files of a loaded fleet again. Rejects with a `Failure` if they changed since. */
export async function rereadFiles(
  directory: string,
  cwd: string,
  signal?: AbortSignal
): Promise<ReadFile[]> {
  const findings = new Findings()
  const budget = new RunBudget()
  const found = findFiles(directory, cwd, findings, budget)
  const files = found.files.flatMap(file => {
    const source = read(file, findings, budget)
    return source === undefined ? [] : [{ file, source }]
  })
  const slice = new TimeSlice(signal)
  for (const { source } of files) {
    findings.pushAll(await parseSource(source))
    await slice.pause()
  }
  const wrong = findings.inOrder().find(isError)
  if (wrong === undefined) return files
  throw new Failure(exit.refused, `the files changed meanwhile: ${wrong.message}`)
}
