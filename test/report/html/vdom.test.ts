import { expect, it } from 'vitest'
import { h, renderToString } from '../../../src/report/html/vdom.ts'

it('an element contains the nodes of nested lists, without false and undefined', () => {
  const element = h('p', {}, 'a', false, ['b', [undefined, h('br')]])
  expect(renderToString(element)).toBe('<p>ab<br></p>')
})

it('an element accepts lists of any length', () => {
  const items = Array.from({ length: 200_000 }, () => h('li'))
  expect(h('ul', {}, items, [items]).children).toHaveLength(400_000)
})

it('texts and attributes are escaped', () => {
  expect(renderToString(h('a', { title: '"<', hidden: true, id: false }, '</a>&'))).toBe(
    '<a title="&quot;&lt;" hidden="">&lt;/a&gt;&amp;</a>'
  )
})
