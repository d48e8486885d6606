import { exit, Failure } from '../../core/model/failure.ts'
import { isError } from '../../core/model/finding.ts'
import { type DeclaredFleet, joinFiles } from '../declared.ts'
import { declarationsOf } from '../documents.ts'
import { Findings } from '../findings.ts'
import { RunTime, Usage } from '../usage.ts'
import { type FleetFile, findFiles } from './find.ts'
import { parseSource, read } from './read.ts'
import type { Source } from './source.ts'

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
  const usage = new Usage({}, new RunTime({ signal }))
  const files: ReadFile[] = []
  for (const file of findFiles(directory, cwd, findings, usage).files) {
    const source = read(file, findings, usage)
    if (source === undefined) continue
    findings.pushAll(await parseSource(source))
    files.push({ file, source })
    await usage.time.pause()
  }
  const wrong = findings.inOrder().find(isError)
  if (wrong === undefined) return files
  throw new Failure(exit.refused, `the files changed meanwhile: ${wrong.message}`)
}

export function declaredBy(sources: readonly Source[]): DeclaredFleet {
  const findings = new Findings()
  const files = sources.map(source => [source, declarationsOf(source, findings)] as const)
  return joinFiles(new Map(files), { findings, usage: new Usage() })
}
