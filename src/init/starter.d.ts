/** The files of CI in `examples/`, which the build turns into text, by their path in the folder of each. */
export const starter: {
  /** Below `.github/`. */
  readonly github: Readonly<Record<string, string>>
  /** Below the root of the repository. */
  readonly gitlab: Readonly<Record<string, string>>
}
