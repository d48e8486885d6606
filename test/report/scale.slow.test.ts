import { describe, expect, it } from 'vitest'
import { formats } from '../../src/report/formats.ts'
import { formatNames } from '../../src/report/report.ts'
import { shapeNames, shapes } from './shapes.ts'

const off = { colour: false, width: Number.POSITIVE_INFINITY }

describe.each(formatNames)('the size of %s', format => {
  it.each(shapeNames)('grows with the number of %s, and no faster', name => {
    const [few, many] = [100, 400].map(n => formats[format](shapes[name](n), off).length)
    expect(many).toBeLessThan(5 * (few ?? 0))
  })
})
