import fc from 'fast-check'
import { expect, it } from 'vitest'
import { statusInfos } from '../../../../src/report/html/cell-status.ts'
import {
  formatFragment,
  initialState,
  parseFragment,
  siteOrders
} from '../../../../src/report/html/page/state.ts'

const text = fc.string({ unit: 'grapheme' })
const list = fc.array(text.filter(each => each !== ''))

it('a fragment contains the complete state', () => {
  const states = fc.record({
    text,
    statuses: fc.array(fc.constantFrom(...statusInfos.map(({ status }) => status))),
    impacts: list,
    fields: list,
    owners: list,
    hidden: list,
    order: fc.constantFrom(...siteOrders),
    run: text,
    site: text,
    wlan: text
  })
  fc.assert(
    fc.property(states, state => {
      const fragment = formatFragment(state)
      expect(fragment).toMatch(/^#./)
      expect(parseFragment(fragment)).toEqual(state)
    })
  )
})

it('any fragment parses; invalid parts have their initial values', () => {
  fc.assert(
    fc.property(fc.string(), fragment => {
      const state = parseFragment(fragment)
      expect(Object.keys(state)).toEqual(Object.keys(initialState))
      expect(parseFragment(formatFragment(state))).toEqual(state)
    })
  )
  expect(parseFragment('')).toEqual(initialState)
  expect(parseFragment('#all')).toEqual(initialState)
})
