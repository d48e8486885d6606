/** A piece of a `$format`: text that stays, or the name of a variable. */
export type FormatPart = { readonly text: string } | { readonly variable: string }

/**
 * Cuts a `$format` into its pieces: `Store {number}` is `Store ` and the variable `number`.
 *
 * `{{name}}` is the service's own variable and stays as it is. Undefined if a brace is left open, or
 * nothing is between two of them.
 */
export function piecesOf(format: string): FormatPart[] | undefined {
  const pieces: FormatPart[] = []
  let from = 0
  for (let open = format.indexOf('{'); open !== -1; open = format.indexOf('{', from)) {
    const own = format.startsWith('{{', open)
    const close = format.indexOf(own ? '}}' : '}', open)
    if (close === -1 || close === open + 1) return undefined
    const end = close + (own ? 2 : 1)
    if (own) pieces.push({ text: format.slice(from, end) })
    else {
      pieces.push({ text: format.slice(from, open) }, { variable: format.slice(open + 1, close) })
    }
    from = end
  }
  pieces.push({ text: format.slice(from) })
  return pieces
}
