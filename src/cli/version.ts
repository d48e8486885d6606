declare const WLANCTL_VERSION: string

/** The program, as plans and requests name it; the version is the package's, put in by the build. */
export const tool = {
  version: WLANCTL_VERSION,
  name: `wlanctl/${WLANCTL_VERSION}`
}
