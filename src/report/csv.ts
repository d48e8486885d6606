import { escapeInside } from './escape.ts'

/**
 * Rows as CSV (RFC 4180), with a final line break; control characters are escaped. A cell that a spreadsheet would run as a
 * formula begins with `'` (OWASP, CSV injection).
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(text: string): string {
  const escaped = escapeInside(text)
  const inert = /^[=+\-@]/.test(escaped.trimStart()) ? `'${escaped}` : escaped
  return /[",\r\n]|^\s|\s$/.test(inert) ? `"${inert.replace(/"/g, '""')}"` : inert
}
