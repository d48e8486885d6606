/** A text cut out of a longer one keeps that alive from this length on. */
const CUT = 13

/**
 * Texts that outlive the files they come from. Those of a large fleet say the same again and again: each
 * is kept once, and none keeps its file.
 */
export class Texts {
  readonly #known = new Map<string, string>()

  of(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const own = text.length < CUT ? text : structuredClone(text)
    this.#known.set(own, own)
    return own
  }
}
