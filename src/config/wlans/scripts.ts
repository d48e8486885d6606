/** Alphabets with letters that look alike: `Corp` can be written with a Cyrillic `о`. */
const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u]
] as const

/** The look-alike alphabets of a text, if it mixes several; else none. */
export function mixedScripts(text: string): string[] {
  const used = SCRIPTS.filter(([, letter]) => letter.test(text)).map(([name]) => name)
  return used.length > 1 ? used : []
}
