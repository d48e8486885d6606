/** The CI files of `examples/`, which the build converts to text, by their path in their folder. */
export const starter: {
  /** Below `.github/`. */
  readonly github: Readonly<Record<string, string>>
  /** Below the root of the repository. */
  readonly gitlab: Readonly<Record<string, string>>
}
