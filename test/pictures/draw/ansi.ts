/** A piece of a line of a terminal, and how it looks there: `bold`, `red`, … */
export interface Piece {
  readonly text: string
  readonly looks: readonly string[]
}

/** The looks that a terminal is told of by number; the even numbers below end what they began. */
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
 * What a program wrote to a terminal of so many columns, line by line; as there, what does not fit goes
 * on in the next one. Throws at what is no text and no known look.
 */
export function linesOf(output: string, columns: number): Piece[][] {
  const looks = new Set<string>()
  return output
    .trimEnd()
    .split('\n')
    .flatMap(line => {
      const pieces: Piece[] = []
      // Odd places hold what the parentheses matched.
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
