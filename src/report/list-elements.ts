import type { Change, ElementChanges } from '../core/model/plan.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { listFirst } from '../core/values/text.ts'
import type { Value } from '../core/values/value.ts'
import { escapeInside } from './escape.ts'
import { excerpts, formatField, formatValue, MAX_VALUE_LENGTH } from './format-value.ts'

/** One difference of a list, for a line of a report; all of its texts are escaped and contain no secret. */
export type ElementLine =
  | {
      readonly kind: 'added'
      readonly element: string
      /** The content of the element; absent if there is none. */
      readonly value?: string
      /** The next element. */
      readonly before?: string
    }
  | { readonly kind: 'removed'; readonly element: string }
  | { readonly kind: 'changed'; readonly element: string; readonly fields: readonly ElementField[] }
  | { readonly kind: 'order'; readonly elements: readonly string[] }

/** A former and a new member of an element; `name` is empty for the element itself. */
export interface ElementField {
  readonly name: string
  readonly before: string
  readonly after: string
}

/** The maximum number of elements in a displayed order. */
const MAX_ORDERED = 6

/** The differences of a list by element; undefined for a field that is shown completely. */
export function elementsAt(
  { elements }: Pick<Change, 'elements'>,
  path: Pointer
): ElementChanges | undefined {
  return elements !== undefined && Object.hasOwn(elements, path) ? elements[path] : undefined
}

/** The differences of a list as lines: added, removed and changed elements, then the new order. */
export function elementLines({
  added = [],
  removed = [],
  changed = [],
  order
}: ElementChanges): ElementLine[] {
  return [
    ...added.map(
      ({ element, value, before }): ElementLine => ({
        kind: 'added',
        element: shownName(element),
        ...(value !== undefined && { value: shorten(formatValue(value)) }),
        ...(before !== undefined && { before: shownName(before) })
      })
    ),
    ...removed.map((element): ElementLine => ({ kind: 'removed', element: shownName(element) })),
    ...changed.map(
      ({ element, fields }): ElementLine => ({
        kind: 'changed',
        element: shownName(element),
        fields: fields.map(({ path, before, after }) => ({
          name: formatField(path),
          ...beforeAndAfter(before, after)
        }))
      })
    ),
    ...(order ? [{ kind: 'order', elements: order.map(shownName) } as const] : [])
  ]
}

function beforeAndAfter(was: Value | undefined, is: Value | undefined) {
  const texts = [was, is].map(value => (value === undefined ? '(unset)' : formatValue(value)))
  const [before = '', after = ''] = excerpts(texts, MAX_VALUE_LENGTH)
  return { before, after }
}

function shownName(element: string): string {
  return shorten(escapeInside(element))
}

function shorten(text: string): string {
  return excerpts([text], MAX_VALUE_LENGTH).join('')
}

/**
 * A difference as text:
 *
 *     + 10.0.0.3 { port: 1812 }, before 10.0.0.1
 *     - 10.0.0.2
 *     10.0.0.1  port 1812 → 1813
 *     (order) 10.0.0.3, 10.0.0.1
 */
export function elementText(line: ElementLine): string {
  switch (line.kind) {
    case 'added': {
      const value = line.value === undefined ? '' : ` ${line.value}`
      return `+ ${line.element}${value}${line.before === undefined ? '' : `, before ${line.before}`}`
    }
    case 'removed':
      return `- ${line.element}`
    case 'changed':
      return `${line.element}  ${line.fields.map(elementFieldText).join(', ')}`
    case 'order':
      return `(order) ${orderText(line.elements)}`
  }
}

function elementFieldText({ name, before, after }: ElementField): string {
  return `${name === '' ? '' : `${name} `}${before} → ${after}`
}

/** The first elements in order. */
export function orderText(elements: readonly string[]): string {
  return listFirst(elements, MAX_ORDERED)
}

/** All differences of a list on one line. */
export function elementsLine(elements: ElementChanges): string {
  return elementLines(elements).map(elementText).join('; ')
}
