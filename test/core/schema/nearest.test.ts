import { describe, expect, it } from 'vitest'
import { nearest, nearestRename } from '../../../src/core/schema/nearest.ts'

describe('the former name of a renamed WLAN', () => {
  it.each<[name: string, known: string[], found: string | undefined, isLikely: boolean]>([
    ['Guests', ['Guest', 'Corp'], 'Guest', true],
    ['guest', ['Guest', 'Gast'], 'Guest', true],
    ['Guest-WiFi-5GHz', ['Corp', 'Guest'], 'Guest', true],
    ['Corp', ['IoT', 'Corp-Employees'], 'Corp-Employees', true],
    ['Caf\u00e9', ['Cafe\u0301 2'], 'Cafe\u0301 2', true],
    ['Warehouse', ['IoT'], 'IoT', false],
    ['IT', ['Visitors'], 'Visitors', false],
    ['Warehouse', [], undefined, false],
    ['Warehouse', ['x'.repeat(101)], undefined, false]
  ])('of %j among %j is %j', (name, known, found, isLikely) => {
    expect(nearestRename(name, known)).toEqual(
      found === undefined ? undefined : { name: found, isLikely }
    )
  })
})

describe('the nearest name', () => {
  it.each<[name: string, known: string[], found: string | undefined]>([
    ['opne', ['opens', 'open'], 'open'],
    ['DTIM', ['dtin', 'dtim'], 'dtim'],
    ['W', ['v', 'w'], 'w'],
    ['Cafe\u0301', ['cafes', 'caf\u00e9'], 'caf\u00e9'],
    ['zzzz', ['dtim'], undefined]
  ])('of %j among %j is %j, regardless of case and normal form', (name, known, found) => {
    expect(nearest(name, known)).toBe(found)
  })
})
