/** Returns numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** A pseudo-random generator (mulberry32): the same seed gives the same numbers. Never use it for real secrets. */
export function seededRandom(...seed: readonly (string | number)[]): Random {
  let state = fnv1a(seed.join('\u0000'))
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function randomInt(random: Random, bound: number): number {
  return Math.floor(random() * bound)
}

const HEX = '0123456789abcdef'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function randomUuid(random: Random): string {
  const digits = randomText(random, 32, HEX)
  const variant = '89ab'[randomInt(random, 4)]
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20)
  ].join('-')
}

export function randomText(random: Random, length: number, alphabet: string = LETTERS): string {
  let word = ''
  for (let n = 0; n < length; n += 1) word += alphabet[randomInt(random, alphabet.length)]
  return word
}

function fnv1a(text: string): number {
  let sum = 0x811c9dc5
  for (let n = 0; n < text.length; n += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(n), 0x01000193)
  }
  return sum
}
