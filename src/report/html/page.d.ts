/** The page's own style and script, made by the build from `page/`. */
export const page: {
  readonly style: string
  readonly script: string
  /** As a Content-Security-Policy names them: `sha256-…`. */
  readonly styleHash: string
  readonly scriptHash: string
}
