import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fragmentOf, orders, start, stateIn } from '../../../src/report/html/page/state.ts'
import { looks } from '../../../src/report/html/status.ts'

const text = fc.string({ unit: 'grapheme' })
const list = fc.array(text.filter(each => each !== ''))

it('a fragment says all of a state', () => {
  const states = fc.record({
    text,
    statuses: fc.array(fc.constantFrom(...looks.map(({ status }) => status))),
    impacts: list,
    fields: list,
    owners: list,
    hidden: list,
    order: fc.constantFrom(...orders),
    run: text,
    site: text,
    wlan: text
  })
  fc.assert(
    fc.property(states, state => {
      const fragment = fragmentOf(state)
      expect(fragment).toMatch(/^#./)
      expect(stateIn(fragment)).toEqual(state)
    })
  )
})

it('no fragment is taken amiss', () => {
  fc.assert(
    fc.property(fc.string(), fragment => {
      const state = stateIn(fragment)
      expect(Object.keys(state)).toEqual(Object.keys(start))
      expect(stateIn(fragmentOf(state))).toEqual(state)
    })
  )
  expect(stateIn('')).toEqual(start)
  expect(stateIn('#all')).toEqual(start)
})
