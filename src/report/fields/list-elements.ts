import type { ElementChanges } from '../../core/model/plan.ts'
import { listFirst } from '../../core/values/text.ts'
import type { Value } from '../../core/values/value.ts'
import { escapeInside } from '../escape.ts'
import { code, type Inline, type Text } from '../render/document.ts'
import { excerpts, formatField, formatValue, MAX_VALUE_LENGTH } from './format-value.ts'

const MAX_ORDERED = 6

/**
 * The differences of a list as lines: added, removed and changed elements, then the new order. They contain no secret.
 *
 *     + 10.0.0.3 { port: 1812 }, before 10.0.0.1
 *     - 10.0.0.2
 *     10.0.0.1  port 1812 → 1813
 *     (order) 10.0.0.3, 10.0.0.1
 */
export function elementLines({
  added = [],
  removed = [],
  changed = [],
  order
}: ElementChanges): Text[] {
  return [
    ...added.map(
      ({ element, value, before }): Text => [
        '+ ',
        short(element),
        ...(value === undefined ? [] : [' ', short(formatValue(value))]),
        ...(before === undefined ? [] : [', before ', short(before)])
      ]
    ),
    ...removed.map((element): Text => ['- ', short(element)]),
    ...changed.map(
      ({ element, fields }): Text => [
        short(element),
        '  ',
        ...fields.flatMap(({ path, before, after }, at): Inline[] => [
          ...(at === 0 ? [] : [', ']),
          ...(path === '' ? [] : [short(formatField(path)), ' ']),
          { kind: 'change', ...beforeAndAfter(before, after) }
        ])
      ]
    ),
    ...(order ? [['(order) ', short(listFirst(order.map(shorten), MAX_ORDERED))]] : [])
  ]
}

function beforeAndAfter(was: Value | undefined, is: Value | undefined) {
  const texts = [was, is].map(value => (value === undefined ? '(unset)' : formatValue(value)))
  const [before = '', after = ''] = excerpts(texts, MAX_VALUE_LENGTH)
  return { before, after }
}

function short(text: string): Inline {
  return code(shorten(text))
}

function shorten(text: string): string {
  return excerpts([escapeInside(text)], MAX_VALUE_LENGTH).join('')
}
