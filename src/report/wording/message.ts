import { truncate } from '../../core/values/text.ts'
import { escapeInside } from '../escape.ts'
import { code, type Inline, type Text } from '../render/document.ts'

// How values are written in any text, also in those of the service: nothing here knows what a message says.

const UUID = /([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Truncates the UUIDs in a message to 8 digits, because the address next to the message is easier to read. */
export function shortenIds(text: string): string {
  return text.replace(UUID, '$1…')
}

/** Replaces the UUIDs in a message by `…`, so that messages about several sites are equal. */
export function maskIds(text: string): string {
  return text.replace(UUID, '…')
}

/** A longer quoted string or run without spaces in a message is a value, and is truncated. */
const MAX_LENGTH_IN_MESSAGE = 200

/** Truncates long values in a message, but not its words. */
export function truncateValues(message: string): string {
  if (message.length <= MAX_LENGTH_IN_MESSAGE) return message
  return message
    .replace(/(?<=^|[\s([{:=,])"(?:[^"\\]|\\.)*"(?![^\s)\]}:;,.])/gs, text =>
      text.length <= MAX_LENGTH_IN_MESSAGE ? text : `${truncate(text, MAX_LENGTH_IN_MESSAGE)}"`
    )
    .replace(/[^\s"]+/g, text => truncate(text, MAX_LENGTH_IN_MESSAGE))
}

/** A message on one line: long values truncated, untrusted text escaped. */
export function formatMessage(message: string): string {
  return escapeInside(truncateValues(message))
}

/** What differs between messages of one kind: quoted names, ids, and numbers. */
const VARIABLE = /"(?:[^"\\]|\\.)*"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+/gi

/** A message with `…` for what differs between messages of its kind. */
export function shapeOf(message: string): string {
  return message.replace(VARIABLE, '…')
}

/** More values than these are `…`. */
const MAX_VALUES = 3

/** The message of several of one shape: `4, 5 or 6 networks`, with `…` in place of what differs more. */
export function commonText(texts: readonly string[]): string {
  const [first = ''] = texts
  if (texts.every(text => text === first)) return first
  const parts = texts.map(text => text.match(VARIABLE) ?? [])
  let at = -1
  return first.replace(VARIABLE, (part, offset: number) => {
    at += 1
    const values = [...new Set(parts.map(own => own[at] ?? ''))]
    if (values.length === 1) return part
    const around = `${first.slice(0, offset)}|${first.slice(offset + part.length)}`
    const isWord = !/^[^"]+-/.test(part) && /(?:^|[\s(])\|(?:[\s,;:)]|$)/.test(around)
    return isWord && values.length <= MAX_VALUES ? oneOf(values) : '…'
  })
}

/** `5 or 6`, in natural order. */
function oneOf(values: readonly string[]): string {
  const sorted = [...values].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`
}

/** Code in a message: quoted names, lists of them, and what stands between backticks outside of them. */
const CODE =
  /(?<quoted>"(?:[^"\\]|\\.)*"…?|\["(?:[^"\\]|\\.)*"(?:, ?"(?:[^"\\]|\\.)*")*\])|`(?<code>[^`\n]+)`/g

/** A message with its names, fields and commands as code. */
export function messageText(message: string): Text {
  const text = truncateValues(message)
  const parts: Inline[] = []
  let end = 0
  for (const { 0: whole, index, groups } of text.matchAll(CODE)) {
    if (index > end) parts.push(text.slice(end, index))
    parts.push(code(groups?.['quoted'] ?? groups?.['code'] ?? ''))
    end = index + whole.length
  }
  return end === text.length ? parts : [...parts, text.slice(end)]
}
