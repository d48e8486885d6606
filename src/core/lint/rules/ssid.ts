import type { WlanCheck } from '../rule.ts'

/** Names by which people recognize a network. */
export const ssidChecks: Readonly<Record<string, WlanCheck>> = {
  'ssid-mixed-scripts': wlan => {
    const scripts = mixedScripts(wlan.text('/ssid') ?? '')
    const message = `the SSID mixes letters that look alike: ${scripts.join(' and ')}`
    return [scripts.length > 0 && { message }]
  }
}

/** Alphabets with look-alike letters: `Corp` can be written with a Cyrillic `о`. */
const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u]
] as const

const isAscii = (text: string) => !/[^ -~]/.test(text)

/** The look-alike alphabets in a string that mixes several; otherwise none. */
export function mixedScripts(text: string): string[] {
  if (isAscii(text)) return []
  const used = SCRIPTS.filter(([, letter]) => letter.test(text)).map(([name]) => name)
  return used.length > 1 ? used : []
}
