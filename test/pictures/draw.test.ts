import { describe, expect, it } from 'vitest'
import { linesOf } from './draw/ansi.ts'
import { githubPage, hasReader } from './draw/github.ts'
import { terminal } from './draw/terminal.ts'

const header = ['somebody', 'wrote'] as const

describe('a terminal', () => {
  it('rejects unknown escape sequences', () => {
    expect(() => linesOf('\u001b[36mcyan', 80)).toThrow('36')
    expect(() => linesOf('\u001b]0;title\u0007', 80)).toThrow('no text')
  })

  it('escapes all output', () => {
    const drawn = terminal('a & b', ['</text><script>alert(1)</script>'], 80)
    expect(drawn).toContain('a &amp; b')
    expect(drawn).not.toContain('<script')
  })
})

describe.skipIf(!hasReader)('a rendered page of GitHub', () => {
  it('shows an alert and line breaks', () => {
    const html = githubPage('> [!CAUTION]\n> **a** b\n\nc\nd\n', { header })
    expect(html).toContain('<div class="markdown-alert markdown-alert-caution">')
    expect(html).toContain('Caution</p><p><strong>a</strong> b</p>')
    expect(html).toContain('c<br />\nd')
  })

  it('shows a script as text', () => {
    expect(githubPage('<script>alert(1)</script>', { header })).not.toContain('<script')
  })

  it.each(['<p onclick="x">', '<img src="x">', '<form>'])('rejects %s', text => {
    expect(() => githubPage(text, { header })).toThrow('GitHub would not show')
  })
})
