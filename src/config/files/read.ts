import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { type Finding, finding } from '../../model/finding.ts'
import type { RunBudget } from '../budget.ts'
import type { Findings } from '../findings.ts'
import { cost, limits } from '../limits.ts'
import { errorCode, type FleetFile } from './find.ts'
import { Source } from './source.ts'

/**
 * Reads a file of the fleet, or says why not. One file is open at a time. A file that was replaced
 * since it was found, by a link or a pipe, is not followed and cannot block. Undefined without a finding
 * once the budget is used up.
 */
export function read(
  { path, file, inFleet }: FleetFile,
  findings: Findings,
  budget: RunBudget
): Source | undefined {
  const place = { file, line: 1, column: 1 }
  const bytes = bytesOf(path)
  if (!budget.take('reading', cost.file)) return undefined
  if (typeof bytes !== 'function' && !budget.take('bytes', bytes.length)) return undefined
  if (typeof bytes === 'function') {
    findings.push(bytes(place))
    return undefined
  }
  return sourceFrom(bytes, { file, inFleet }, findings)
}

/** The source that these bytes are, not parsed yet; undefined, with a finding, where they are none. */
export function sourceFrom(
  bytes: Buffer,
  { file, inFleet }: Pick<FleetFile, 'file' | 'inFleet'>,
  findings: Findings
): Source | undefined {
  const source = new Source(file, inFleet, textOf(bytes))
  if (bytes.length > limits.bytes) {
    findings.push(finding('FILE_TOO_LARGE', { place: source.place(0) }, limits.bytes))
  } else if (isUtf8(bytes)) return source
  else
    findings.push(finding('FILE_NOT_UTF8', { place: source.place(firstBad(source.text, bytes)) }))
  return undefined
}

type Complaint = (place: NonNullable<Finding['place']>) => Finding

function bytesOf(path: string): Buffer | Complaint {
  let handle: number | undefined
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stat = fstatSync(handle)
    if (!stat.isFile()) return place => finding('FILE_NOT_REGULAR', { place })
    const bytes = stat.size > limits.bytes ? undefined : readFileSync(handle)
    if (bytes !== undefined && bytes.length <= limits.bytes) return bytes
    return place => finding('FILE_TOO_LARGE', { place }, limits.bytes)
  } catch (thrown) {
    return place => finding('FILE_UNREADABLE', { place }, errorCode(thrown))
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** The text without its byte order mark. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** The offset of the first character that stands for bytes that are not UTF-8. */
function firstBad(text: string, bytes: Buffer): number {
  let start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  let from = 0
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', from)) {
    start += Buffer.byteLength(text.slice(from, at))
    if (!bytes.subarray(start, start + 3).equals(REPLACEMENT)) return at
    start += 3
    from = at + 1
  }
  return 0
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const REPLACEMENT = Buffer.from('\ufffd')
