import type { Site } from '../model/desired.ts'
import { isUuid } from '../model/names.ts'
import type { Findings } from './checks/findings.ts'
import type { SiteDeclaration } from './documents.ts'
import type { Pace } from './pace.ts'
import { isDefinitelySelected, type Selection } from './select.ts'
import { type MapNode, textOf } from './yaml/tree.ts'

/** Told of a site that the run will want to read, while files are still being read themselves. */
export type Ahead = (site: Site) => void

/** Files and sites after which answers are waited for: a millisecond or two. */
const STEPS = 32

/**
 * Turns of the event loop that they get: in so many an answer is read and taken in, its connection is
 * free again, and the next request is on it. With fewer it would wait for more files.
 */
const TURNS = 4

/**
 * Lets others work while a large fleet is being loaded, and tells them of the sites that the run is
 * about as soon as it is known that it is. Of a fleet that is loaded in no time it tells nothing, nor of
 * one with an error from then on.
 */
export class Foresight {
  readonly #selection: Selection
  readonly #findings: Findings
  readonly #ahead: Ahead | undefined
  readonly #pace: Pace
  #seen: Site[] = []
  #steps = 0

  constructor(selection: Selection, findings: Findings, ahead: Ahead | undefined, pace: Pace) {
    this.#pace = pace
    this.#selection = selection
    this.#findings = findings
    this.#ahead = ahead
  }

  /** Takes note of what a file says of sites. */
  see(declarations: readonly SiteDeclaration[]): void {
    if (this.#ahead === undefined) return
    for (const { map, wlans } of declarations) {
      const [id, name] = [textIn(map, 'id'), textIn(map, 'name')]
      if (!isUuid(id) || !isDefinitelySelected(this.#selection, { id, name, wlans })) continue
      this.#seen.push({ id, name: name ?? id })
    }
  }

  /** To be called, and waited for, after every file and every site. */
  async step(): Promise<void> {
    this.#steps += 1
    if (this.#steps % STEPS !== 0 && !this.#pace.isOver) return
    if (this.#ahead !== undefined && !this.#findings.hasError) this.#seen.forEach(this.#ahead)
    this.#seen = []
    await this.#pace.turn(TURNS)
  }
}

function textIn(map: MapNode, key: string): string | undefined {
  return textOf(map.entries.get(key)?.value)
}
