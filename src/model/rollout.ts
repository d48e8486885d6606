/**
 * A wave of a rollout: its sites are changed side by side, and before those of the next wave.
 *
 * In what a fleet declares, a wave holds all of its sites; in a plan, those that would be changed.
 */
export interface Wave {
  /** Unique among the waves; absent for the last one, of the sites that no declared wave holds. */
  readonly name?: string
  /** The sites by name, sorted. */
  readonly sites: readonly string[]
}
