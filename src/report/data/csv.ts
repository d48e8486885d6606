/**
 * Rows as CSV (RFC 4180), with a final line break. Escapes no control characters. A cell that a spreadsheet would run as
 * a formula begins with `'` (OWASP, CSV injection). The script of the page uses it, too.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(text: string): string {
  const inert = /^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text
  // Spreadsheets of some languages separate cells by semicolons.
  return /[",;\t\r\n]|^\s|\s$/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
