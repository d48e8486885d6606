/** The style and script of the HTML report, which the build bundles from `page/`. */
export const page: {
  readonly style: string
  readonly script: string
  /** In the notation of a Content-Security-Policy: `sha256-…`. */
  readonly styleHash: string
  readonly scriptHash: string
}
