/**
 * How much a fleet may hold. Hostile input costs bounded time and memory: the parser needs seconds
 * for a map of 40,000 keys and takes the whole process down for a document that nests too deep.
 */
export const limits = {
  /** Bytes of a file. */
  bytes: 4 * 1024 * 1024,
  /** Maps and lists within each other, aliases followed. */
  depth: 64,
  /** Keys of a map. */
  keys: 5000,
  /** Keys, values, maps and lists of a file, aliases followed. */
  nodes: 200_000,
  /** What the file is cut into before it is read: comments, line ends and punctuation too. */
  tokens: 1_500_000,
  /** Faults of a file's YAML after which it is given up: the later ones mostly follow from the first. */
  faults: 20,
  /** Values of a WLAN, with its profiles and variables. */
  values: 5000,
  /** Errors of a fleet after which nobody looks for more. */
  errors: 5000,
  /** Profiles that extend each other in a row. */
  extends: 64,
  /** UTF-16 code units of a string made by `$format`. */
  format: 65_536
} as const

/** A long string counts as this many nodes more where an alias or a variable repeats it. */
export function weightOf(text: string): number {
  return Math.floor(text.length / 64)
}
