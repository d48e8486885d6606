import type { DesiredWlan } from '../../model/desired.ts'
import { noRules } from '../rules/book.ts'
import type { Run } from '../run.ts'
import type { Entry, MapNode } from '../yaml/tree.ts'

/** What a block declares, without the names that a site gives it. */
export type Content = Omit<DesiredWlan, 'address' | 'key' | 'leftOut'>

/** What blocks of one text declare. */
export interface Pattern {
  readonly content: Content
  /** The values in it. */
  readonly size: number
  /** The fields that a variable has a part in, which each site has others of; undefined if there are none. */
  readonly varying: MapNode | undefined
}

/** Blocks that are kept: those of a fleet whose files have much in common are far fewer. */
const MOST = 10_000

/**
 * What blocks declare, by their text: the files of a fleet are alike, and where a block says the same as
 * one before it, and there was nothing to be said of that, nobody has to look at it again.
 */
export class Alike {
  readonly #isAsked: boolean
  readonly #known = new Map<string, Pattern>()

  /** A rule says of every WLAN where it is broken. */
  constructor({ rules }: Run) {
    this.#isAsked = rules === noRules
  }

  /** The text of a block; undefined where more than its text counts. */
  textOf({ offset, value }: Entry, { end }: MapNode): string | undefined {
    return this.#isAsked && end !== undefined ? value.source.text.slice(offset, end) : undefined
  }

  get(text: string | undefined): Pattern | undefined {
    return text === undefined ? undefined : this.#known.get(text)
  }

  set(text: string | undefined, pattern: Pattern): void {
    if (text !== undefined && this.#known.size < MOST) this.#known.set(text, pattern)
  }
}
