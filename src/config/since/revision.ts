/** The files of a fleet as an earlier commit has them. */
export interface Revision {
  /** As the user named it, e.g. `origin/main`. */
  readonly name: string
  /** Plain files only, by their path in the fleet with `/`: the id of their content, in hexadecimal. */
  readonly files: ReadonlyMap<string, string>
  /** The contents with these ids. Rejects with a `Failure` if one cannot be had. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
}
