import { expect, it } from 'vitest'
import { html, joined } from '../../../src/report/html/markup.ts'

it('escapes all text, and inserts markup and lists as they are', () => {
  const name = '<b>"x" & y'
  expect(html`<p title="${name}">${name}</p>`.text).toBe(
    '<p title="&lt;b&gt;&quot;x&quot; &amp; y">&lt;b&gt;&quot;x&quot; &amp; y</p>'
  )
  const items = ['a', 2].map(each => html`<li>${each}</li>`)
  expect(html`<ul>${items}${undefined}${false}</ul>`.text).toBe('<ul><li>a</li><li>2</li></ul>')
  expect(html`${joined(['a', '<', html`<i></i>`], ' · ')}`.text).toBe('a · &lt; · <i></i>')
})

it('omits the indentation of a template, not that of a text', () => {
  const text = '\n  a'
  expect(
    html`
      <p>
        ${text}
      </p>`.text
  ).toBe('<p>\\n  a</p>')
})
