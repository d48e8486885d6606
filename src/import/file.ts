/** A file that an import makes. */
export interface File {
  /** Below the folder that the files go to. */
  readonly file: string
  readonly text: string
  /** The WLANs that it declares, on all of its sites. */
  readonly wlans: number
  /** The profiles in a file that holds nothing else. */
  readonly profiles?: number
}
