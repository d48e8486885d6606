/** How the lines of a text end; as most editors would end the next one. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** The end of the line that an offset is in, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end === -1) return text.length
  return end > offset && text[end - 1] === '\r' ? end - 1 : end
}

/** Characters between the beginning of the line and the offset. */
export function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}
