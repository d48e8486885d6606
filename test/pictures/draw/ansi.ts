/** A part of a terminal line with its styles: `bold`, `red`, … */
export interface Piece {
  readonly text: string
  readonly looks: readonly string[]
}

/** The SGR codes that start a style; the even codes below end them. */
const begins: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'faint',
  31: 'red',
  32: 'green',
  33: 'yellow'
}

const ends: Readonly<Record<number, readonly string[]>> = {
  0: Object.values(begins),
  22: ['bold', 'faint'],
  39: ['red', 'green', 'yellow']
}

/**
 * The output of a program on a terminal with this many columns, line by line. Longer lines wrap. Throws on
 * control characters and unknown SGR codes.
 */
export function linesOf(output: string, columns: number): Piece[][] {
  const looks = new Set<string>()
  return output
    .trimEnd()
    .split('\n')
    .flatMap(line => {
      const pieces: Piece[] = []
      // Odd positions are the captured groups.
      for (const [at, part] of line.split(/\u001b\[([\d;]*)m/).entries()) {
        if (at % 2 === 1) for (const number of part.split(';')) turn(Number(number), looks)
        else if (part !== '') pieces.push({ text: plain(part), looks: [...looks] })
      }
      return broken(pieces, columns)
    })
}

function broken(pieces: readonly Piece[], columns: number): Piece[][] {
  const lines: Piece[][] = []
  let line: Piece[] = []
  let room = columns
  for (const { text, looks } of pieces) {
    for (let at = 0; at < text.length; ) {
      if (room === 0) {
        lines.push(line)
        line = []
        room = columns
      }
      const part = text.slice(at, at + room)
      line.push({ text: part, looks })
      at += part.length
      room -= part.length
    }
  }
  return [...lines, line]
}

function turn(number: number, looks: Set<string>): void {
  const begun = begins[number]
  if (begun !== undefined) looks.add(begun)
  else if (ends[number]) for (const look of ends[number]) looks.delete(look)
  else throw new Error(`the pictures know no colour ${number}`)
}

function plain(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Error(`no text of a terminal: ${JSON.stringify(text)}`)
  return text
}
