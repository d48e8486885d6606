import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** The maximum number of colours in a palette. */
const COLOURS = 256

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Rows of pixels, three bytes per pixel. */
interface Pixels {
  readonly width: number
  readonly height: number
  readonly bytes: Buffer
}

/**
 * Reduces a picture to at most 256 colours, which halves its size: nearly all colours of a page of text.
 * Accepts the PNG of browsers, with eight bits each for red, green and blue.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, bytes } = pixelsOf(png)
  const palette = paletteOf(bytes)
  const nearest = nearestIn(palette)
  // Each row begins with its filter type: none.
  const rows = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < width * height; at++) {
    const row = Math.floor(at / width)
    rows[at + row + 1] = nearest(bytes.readUIntBE(3 * at, 3))
  }
  const header = Buffer.from('00000000000000000803000000', 'hex')
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const colours = Buffer.from(palette.flatMap(colour => parts(colour)))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0))
  ])
}

/** The most frequent colours, after one of each kind: a link is a little blue among much grey. */
function paletteOf(bytes: Buffer): number[] {
  const counts = new Map<number, number>()
  for (let at = 0; at < bytes.length; at += 3) {
    const colour = bytes.readUIntBE(at, 3)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const sorted = [...counts]
    .sort(([a, often], [b, more]) => more - often || a - b)
    .map(([colour]) => colour)
  const kinds = new Map(sorted.toReversed().map(colour => [kindOf(colour), colour]))
  return [...new Set([...kinds.values(), ...sorted])].slice(0, COLOURS)
}

/** A key that similar colours share; there are 64. */
function kindOf(colour: number): number {
  return parts(colour).reduce((kind, part) => 4 * kind + (part >> 6), 0)
}

function nearestIn(palette: readonly number[]): (colour: number) => number {
  const known = new Map(palette.map((colour, at) => [colour, at]))
  return colour => {
    const found = known.get(colour)
    if (found !== undefined) return found
    const distances = palette.map(each => distance(each, colour))
    const nearest = distances.indexOf(Math.min(...distances))
    known.set(colour, nearest)
    return nearest
  }
}

function distance(a: number, b: number): number {
  const others = parts(b)
  return parts(a).reduce((sum, part, at) => sum + (part - (others[at] ?? 0)) ** 2, 0)
}

function parts(colour: number): [number, number, number] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255]
}

function chunk(name: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12)
  framed.writeUInt32BE(data.length, 0)
  framed.write(name, 4, 'latin1')
  data.copy(framed, 8)
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), data.length + 8)
  return framed
}

function pixelsOf(png: Buffer): Pixels {
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      data.push(png.subarray(at + 8, at + 8 + length))
    }
    at += length + 12
  }
  if (png.readUInt16BE(24) !== 0x0802) throw new Error('no PNG of 8 bits for red, green and blue')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const bytes = Buffer.alloc(3 * width * height)
  const raw = inflateSync(Buffer.concat(data))
  for (let row = 0; row < height; row++) unfilter(raw, bytes, row, 3 * width)
  return { width, height, bytes }
}

/** Reverses the filter of a row (PNG, section 9): each byte is a difference to its neighbours. */
function unfilter(raw: Buffer, bytes: Buffer, row: number, stride: number): void {
  const start = row * (stride + 1)
  const filter = raw[start]
  for (let x = 0; x < stride; x++) {
    const at = row * stride + x
    const left = x < 3 ? 0 : (bytes[at - 3] ?? 0)
    const up = bytes[at - stride] ?? 0
    const corner = x < 3 ? 0 : (bytes[at - stride - 3] ?? 0)
    const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)]
    bytes[at] = (raw[start + 1 + x] ?? 0) + (guesses[filter ?? 0] ?? 0)
  }
}

/** The neighbour nearest to left + up - corner. */
function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [toLeft, toUp, toCorner] = [left, up, corner].map(each => Math.abs(guess - each))
  if ((toLeft ?? 0) <= (toUp ?? 0) && (toLeft ?? 0) <= (toCorner ?? 0)) return left
  return (toUp ?? 0) <= (toCorner ?? 0) ? up : corner
}
