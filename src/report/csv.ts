/**
 * Rows as CSV (RFC 4180), with a final line break. A cell that a spreadsheet would run as a formula begins with `'`
 * (OWASP, CSV injection).
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(text: string): string {
  const inert = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(inert) ? `"${inert.replace(/"/g, '""')}"` : inert
}
