import picocolors from 'picocolors'
import type { RenderOptions } from './report.ts'

/** The colours a report uses, by meaning; without colour they are the identity. */
export interface Style {
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly good: (text: string) => string
  /** A value that goes, and the one that comes. */
  readonly before: (text: string) => string
  readonly after: (text: string) => string
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
}

export function styleOf({ colour }: RenderOptions): Style {
  const colours = picocolors.createColors(colour)
  return {
    bad: colours.red,
    warn: colours.yellow,
    good: colours.green,
    before: colours.red,
    after: colours.green,
    strong: colours.bold,
    faint: colours.dim
  }
}
