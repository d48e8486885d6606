/** JSON as the service stores and returns it; immutable. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [member: string]: Json
}

/** A WLAN as the service stores it. */
export interface WlanRecord extends JsonObject {
  readonly id: string
  readonly ssid: string
}

/** Parses JSON; undefined if the text is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
