declare const WLANCTL_VERSION: string

/** The build inserts the version of the package. */
export const tool: { readonly version: string; readonly name: string } = {
  version: WLANCTL_VERSION,
  name: `wlanctl/${WLANCTL_VERSION}`
}
