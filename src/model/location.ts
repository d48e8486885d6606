/** A place in a file, as editors count: line and column begin at 1; the path uses `/`. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
}
