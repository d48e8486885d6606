import type { Overview } from '../overview/overview.ts'
import type { Source } from './blocks.ts'
import type { Targets } from './targets.ts'

/** What the parts of a page are made of. */
export interface Context {
  readonly overview: Overview
  readonly targets: Targets
  readonly source: Source
}
