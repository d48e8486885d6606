import type { Shape } from './status.ts'

/** A shape as paths of SVG, which a canvas draws, too: one to fill, one to stroke. */
export interface Glyph {
  readonly fill: string
  readonly stroke: string
}

/**
 * Draws a shape into a box. The height tells how bad it is, so that a row of them reads like a chart; an
 * alarm is an exclamation mark, what is open is hollow, what nothing is known of is crossed out.
 */
export function glyph(shape: Shape, x: number, y: number, w: number, height: number): Glyph {
  const bar = (from: number, to: number) => ({
    fill: rect(x, y + from * height, w, (to - from) * height),
    stroke: ''
  })
  switch (shape) {
    case 'low':
      return bar(0.8, 1)
    case 'third':
      return bar(0.62, 1)
    case 'half':
      return bar(0.38, 1)
    case 'full':
      return bar(0, 1)
    case 'alarm':
      return { fill: bar(0, 0.62).fill + bar(0.78, 1).fill, stroke: '' }
    case 'dot':
      return bar(0.38, 0.62)
    case 'hollow':
      return { fill: '', stroke: inner(x, y, w, height) }
    case 'slit':
      return { fill: '', stroke: inner(x, y + 0.5 * height, w, 0.5 * height) }
    case 'cross':
      return {
        fill: '',
        stroke: `M${x} ${y}L${x + w} ${y + height}M${x + w} ${y}L${x} ${y + height}`
      }
  }
}

/** Strokes are centred on their path: half of one belongs inside. */
function inner(x: number, y: number, w: number, height: number): string {
  return rect(x + 0.5, y + 0.5, w - 1, height - 1)
}

function rect(x: number, y: number, w: number, height: number): string {
  return `M${x} ${round(y)}h${w}v${round(height)}h${-w}z`
}

function round(n: number): number {
  return Math.round(n * 100) / 100
}
