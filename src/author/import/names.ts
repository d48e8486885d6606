import { slugOf } from '../../core/audit/slug.ts'
import { skeletonOf } from '../../core/values/ssid.ts'
import { isPlainScalarText } from '../yaml-edit/scalar.ts'

/** File names that Windows reserves for devices. */
const DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** The name of a site's file, without its extension. */
export function fileSlug(siteName: string): string {
  const slug = slugOf(siteName)
  return slug === '' || DEVICE_NAMES.test(slug) ? `site${slug && '-'}${slug}` : slug
}

/** The key of a WLAN: it starts with a letter and is not a reserved word of YAML or JavaScript. */
export function keySlug(ssid: string): string {
  const isLatin = /\p{Script=Latin}/u.test(ssid)
  const slug = slugOf(isLatin ? ssid.replace(/[^ -~]/gu, skeletonOf) : ssid)
  if (slug === '') return 'wlan'
  const isWord = /^[a-z]/.test(slug) && isPlainScalarText(slug)
  return isWord && slug !== 'constructor' && slug !== 'prototype' ? slug : `wlan-${slug}`
}

/** What the servers of a list are called in the names of their variables and secrets. */
export const SERVER_LISTS: Readonly<Record<string, string>> = {
  auth_servers: 'radius',
  acct_servers: 'accounting',
  coa_servers: 'coa'
}

/** A step of a pointer as a word of a name: the places of a list count from 1. */
export function wordOfStep(step: string): string {
  return /^\d+$/.test(step) ? String(Number(step) + 1) : step
}
