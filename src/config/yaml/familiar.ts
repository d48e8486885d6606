/** Texts that are kept: those of a fleet whose files have much in common are far fewer. */
const MOST = 10_000

/**
 * Lines of a file that make up a map in a map, such as the block of a WLAN. The files of a fleet are alike:
 * where they say what others have said before them, they have been read as plain YAML already, and need
 * only be read again where somebody looks.
 */
export class Familiar {
  readonly #tokens = new Map<string, number>()

  /** The tokens in these lines, if they have been read before. */
  tokensIn(lines: string): number | undefined {
    return this.#tokens.get(lines)
  }

  /** Takes note of lines that are a map by themselves, and plain, whatever stands around them. */
  add(lines: string, tokens: number): void {
    if (this.#tokens.size < MOST) this.#tokens.set(lines, tokens)
  }
}
