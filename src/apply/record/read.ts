import { validateRecordLine } from '#forms'
import { exit, Failure } from '../../model/failure.ts'
import type { RecordedRun } from '../../model/record.ts'
import { isDeeper } from '../../plan/saved.ts'
import { parseStrictJson } from '../../plan/strict-json.ts'
import { FORMAT, type Line } from './lines.ts'
import { Run } from './run.ts'

/** No WLAN is deeper; JSON may be, and would end the stack of whoever walks it. */
const DEEPEST = 200

/** True for a text that says of itself that it is a record, be it of a version we do not know. */
export function isRecord(text: string): boolean {
  return /^\s*\{\s*"format"\s*:\s*"wlanctl-record\//.test(text.slice(0, 200))
}

/**
 * Reads a record: the runs in it, in their order. A run that was killed may end anywhere, also in the
 * middle of a line; so the last line of the file, and one before the first line of a later run, may be
 * cut. Throws a `Failure` (exit 3) that names the line if anything else is not as it was written, as
 * far as that can be told: the digest covers what was to be done. `name` is the file's.
 */
export function parseRecord(text: string, name: string): RecordedRun[] {
  if (!isRecord(text)) {
    throw new Failure(
      exit.wrongInput,
      `${name}: line 1: expected the format ${JSON.stringify(FORMAT)}`,
      'a record is what `wlanctl apply --record FILE` writes'
    )
  }
  const lines = text.split('\n')
  const runs = new Map<string, Run>()
  for (const [at, line] of lines.entries()) {
    const number = at + 1
    const isLast = number === lines.length
    if (line === '' && isLast) break
    const wrong = (problem: string) =>
      new Failure(exit.wrongInput, `${name}: line ${number}: ${problem}`, HINT)
    const value = parseStrictJson(line)
    if (value === undefined && (isLast || isRecord(lines[number] ?? ''))) continue
    take(lineOf(value, wrong), number, runs, wrong)
  }
  return [...runs.values()].map(run => run.told())
}

const HINT = 'the record was damaged or edited; nothing in it can be relied on'

type Wrong = (problem: string) => Failure

function lineOf(value: unknown, wrong: Wrong): Line {
  if (value === undefined) throw wrong('it is not JSON, or holds a key twice')
  if (isDeeper(value, DEEPEST)) throw wrong(`it is nested more than ${DEEPEST} deep`)
  const format = typeof value === 'object' && value !== null && 'format' in value && value.format
  if (format !== false && format !== FORMAT) {
    throw wrong(`expected the format ${JSON.stringify(FORMAT)}, found ${JSON.stringify(format)}`)
  }
  if (!validateRecordLine(value)) throw wrong('it is no line of a record')
  return value as Line
}

function take(line: Line, number: number, runs: Map<string, Run>, wrong: Wrong): void {
  const run = runs.get(line.run)
  if (line.step === 'begin') {
    if (run !== undefined) throw wrong('this run has begun already')
    runs.set(line.run, new Run(line))
    return
  }
  const problem = run === undefined ? 'its run has not begun' : run.take(line, number)
  if (problem !== undefined) throw wrong(problem)
}
