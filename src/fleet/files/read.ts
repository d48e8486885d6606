import { isUtf8 } from 'node:buffer'
import { type Finding, finding, type Where } from '../../core/model/finding.ts'
import { withoutByteOrderMark } from '../../core/values/text.ts'
import { Findings } from '../findings.ts'
import { limits, MAX_FINDINGS } from '../limits.ts'
import { readRegularFile, type Unreadable } from '../secrets/regular-file.ts'
import type { Usage } from '../usage.ts'
import { type KnownBlocks, readFast } from '../yaml/fast-reader.ts'
import { errorCode, type FleetFile } from './find.ts'
import { atKey, Source } from './source.ts'

/**
 * Reads a file of the fleet, or reports why it cannot. One file is open at a time. It follows no link and blocks on no
 * pipe that replaced the file since it was found.
 */
export function read(
  { path, file, inFleet }: FleetFile,
  findings: Findings,
  usage: Usage
): Source | undefined {
  const reading = readRegularFile(path, { most: limits.bytes, links: false })
  if (!('bytes' in reading)) {
    findings.push(unreadable(reading, { place: { file, line: 1, column: 1 } }))
    return undefined
  }
  usage.add('bytes', reading.bytes.length)
  return sourceFrom(reading.bytes, { file, inFleet }, findings)
}

function unreadable(reading: Unreadable, where: Where): Finding {
  switch (reading.problem) {
    case 'kind':
      return finding('FILE_NOT_REGULAR', where)
    case 'size':
      return finding('FILE_TOO_LARGE', where, limits.bytes)
    case 'system':
      return finding('FILE_UNREADABLE', where, errorCode(reading.error))
  }
}

/** Makes a source from bytes, without parsing it; undefined, with a finding, if the bytes are not text. */
export function sourceFrom(
  bytes: Buffer,
  { file, inFleet }: Pick<FleetFile, 'file' | 'inFleet'>,
  findings: Findings
): Source | undefined {
  const source = new Source(file, inFleet, withoutByteOrderMark(bytes.toString('utf8')))
  if (bytes.length > limits.bytes) {
    findings.push(finding('FILE_TOO_LARGE', { place: source.place(0) }, limits.bytes))
  } else if (isUtf8(bytes)) return source
  else
    findings.push(finding('FILE_NOT_UTF8', { place: source.place(firstBad(source.text, bytes)) }))
  return undefined
}

/** The offset of the first character that replaces invalid UTF-8. */
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

/**
 * Sets `root`, which stays undefined for an empty or invalid file. The fast reader parses plain
 * YAML; the library, loaded on demand, parses all other YAML and reports errors.
 */
export async function parseSource(source: Source, known?: KnownBlocks): Promise<Finding[]> {
  const findings: Finding[] = []
  if (!isText(source, findings)) return findings
  source.root = readFast(source, known)
  source.isPlain = source.root !== undefined
  checkComments(source, findings)
  if (source.isPlain) return findings
  const { readWithLibrary } = await import('../yaml/library.ts')
  return findings.concat(readWithLibrary(source))
}

/** An unquoted SSID before a `#` that starts a comment: `ssid: Guest #1`. */
const CUT_SSID = /^[ -]*ssid: +[^\s"'#&*!|>[{][^#\n]* (?=#[\p{L}\p{N}])/gmu

/** Warns of a comment that looks like the rest of an SSID. A comment with a space after its `#` does not. */
function checkComments(source: Source, findings: Finding[]): void {
  for (const { 0: line, index } of source.text.matchAll(CUT_SSID)) {
    if (findings.length >= MAX_FINDINGS) return
    findings.push(finding('COMMENT_IN_VALUE', { place: source.place(index + line.length) }))
  }
}

/** The characters that YAML forbids, even inside quotes. */
const NOT_TEXT = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

function isText(source: Source, findings: Finding[]): boolean {
  const offset = source.text.search(NOT_TEXT)
  if (offset === -1) return true
  const place = source.place(offset)
  findings.push(finding('CONTROL_CHARACTER', { place }, source.text.charCodeAt(offset)))
  return false
}

/** Such files would switch limits off. One that cannot be parsed holds no policy in force. */
export async function reportIgnoredPolicies(
  ignored: readonly FleetFile[],
  findings: Findings,
  usage: Usage
): Promise<void> {
  for (const file of ignored) {
    await usage.time.pause()
    const source = read(file, new Findings(), usage)
    // A key may be written with escapes, which need a backslash.
    if (source === undefined || !/policy|\\/.test(source.text)) continue
    await parseSource(source)
    const { root } = source
    const policy = root?.kind === 'map' ? root.entries.get('policy') : undefined
    if (policy !== undefined) findings.push(finding('POLICY_IGNORED', atKey(policy)))
  }
}
