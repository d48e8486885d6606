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

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Narrows where `Array.isArray` cannot: these lists are read-only. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** The own member of an object, or undefined. */
export function jsonMember(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Parses JSON; undefined if the text is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
