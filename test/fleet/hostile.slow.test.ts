import { afterEach, describe, expect, test } from 'vitest'
import { limits } from '../../src/fleet/limits.ts'
import { expectUnpolluted } from '../campaigns/unpolluted.ts'
import { HQ, lines, load } from './fleet.ts'

const MIB = 1024 * 1024

/** A file of 4 MiB that repeats this text. */
const full = (piece: string) => piece.repeat(Math.floor((4 * MIB) / piece.length))

/** A WLAN below `HQ`; its fields begin at line 7. */
const wlan = (fields: string) => `${HQ}  w:\n    ssid: a\n${fields.replace(/^(?=.)/gm, '    ')}\n`

afterEach(expectUnpolluted)

describe('a file of 4 MiB', () => {
  test.each<[piece: string, first: string]>([
    ['[', '1:66 YAML_TOO_LARGE'],
    ['{a: ', '1:258 YAML_TOO_LARGE'],
    ['- ', '1:130 YAML_TOO_LARGE'],
    ['? ', '1:130 YAML_TOO_LARGE'],
    [': ', '1:130 YAML_TOO_LARGE'],
    ['[],', '1:3 YAML_SYNTAX'],
    ['a: 1\n', '1:1 YAML_TOO_LARGE'],
    ['- |\n', '1:1 YAML_TOO_LARGE'],
    ['# c\n', '600001:1 YAML_TOO_LARGE'],
    ['\n', '1200001:1 YAML_TOO_LARGE'],
    [' ', '1:1 FILE_EMPTY?'],
    ['\t', '1:1 FILE_EMPTY?'],
    [']', '1:1 YAML_SYNTAX'],
    [',', '1:1 YAML_SYNTAX'],
    ['"', '1:400001 YAML_TOO_LARGE'],
    ['---\n', '200001:1 YAML_TOO_LARGE'],
    ['!x ', '1:1 YAML_UNSUPPORTED'],
    ['%A\n', '1:1 YAML_UNSUPPORTED']
  ])('of %j stays within the limits', async (piece, first) => {
    const found = lines((await load({ 'f.yaml': full(piece) })).findings)
    expect(found.find(line => line !== '- EMPTY_FLEET')).toBe(`f.yaml:${first}`)
    expect(found.length).toBeLessThanOrEqual(limits.faults)
  })
})

describe('names of prototype members', () => {
  const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
  const places = {
    'a top-level key': (key: string) => `${HQ}\n"${key}": { polluted: 1 }\n`,
    'a key of a site': (key: string) => HQ.replace('name:', `"${key}": { polluted: 1 }\n  name:`),
    'a field': (key: string) => wlan(`"${key}": { polluted: 1 }`),
    'a member of a field': (key: string) => wlan(`auth: { "${key}": { polluted: 1 } }`),
    'a profile': (key: string) =>
      `${wlan(`$extends: "${key}"`)}profiles: { "${key}": { "${key}": 1 } }\n`,
    'a rule': (key: string) =>
      `${wlan('dtim: 1')}policy: { rules: [{ name: r, message: m, require: { "${key}": {} } }] }\n`
  }

  test.each(Object.entries(places))('are not found in %s', async (_what, file) => {
    for (const key of inherited) {
      const { desired, findings } = await load({ 'f.yaml': file(key) })
      expect(desired, key).toBeUndefined()
      expect([...new Set(findings.map(({ place }) => place?.file))], key).toEqual(['f.yaml'])
    }
  })
})
