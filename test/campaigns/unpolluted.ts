import { expect } from 'vitest'

const guarded = { Object, Array, Function, String, Number, Boolean, Map, Set, RegExp, Promise }

const before = membersOfAll()

/**
 * Throws if a built-in prototype has changed since this file was loaded, as by an unsafe `__proto__` or
 * `constructor`. Test files call it in `afterEach`; a test of many cases calls it after each case.
 */
export function expectUnpolluted(): void {
  if (membersOfAll() === before) return
  expect(membersOfAll()).toBe(before)
}

function membersOfAll(): string {
  return Object.entries(guarded)
    .map(([name, { prototype }]) => `${name}: ${Reflect.ownKeys(prototype).map(String).join()}`)
    .join('\n')
}
