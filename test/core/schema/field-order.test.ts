import { describe, expect, it } from 'vitest'
import { wlanField } from '../../../src/core/schema/field.ts'
import { orderedFields, sortFields } from '../../../src/core/schema/field-order.ts'

describe('the order of fields', () => {
  it('has each field of the schema once', () => {
    expect(new Set(orderedFields).size).toBe(orderedFields.length)
    expect(orderedFields.filter(name => !wlanField.memberNames().includes(name))).toEqual([])
  })

  it('has unknown fields last, by name', () => {
    const names = sortFields(wlanField, [['b'], ['a'], ['ssid']])
    expect(names).toEqual([['ssid'], ['a'], ['b']])
  })
})
