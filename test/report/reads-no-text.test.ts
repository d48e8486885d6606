import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../support/program.ts'

/** It knows how values are written in any text, also in those of the service, and not what a message says. */
const OF_VALUES = 'wording/message.ts'

const directory = join(ROOT, 'src/report')
const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
  file => file.endsWith('.ts') && file !== OF_VALUES
)

/** A pattern with words of a sentence, apart from tags of HTML. */
const PROSE = /\/(?:[^/\n\\]|\\.)*[a-z]{2,} [a-z]{2,}(?:[^/\n\\]|\\.)*\/[dgimsuvy]*[.,;)]/

/** A pattern on a text of a finding or an outcome. */
const READ =
  /\b(?:message|hint|reason)\)?\??\.(?:match|matchAll|replace|replaceAll|search|split)\(\/|\/[a-z]*\.(?:test|exec)\([\w.]*(?:message|hint|reason)\b/

it('has these files', () => expect(files.length).toBeGreaterThan(40))

it.each(files)('%s reads no message back by a pattern', file => {
  const lines = readFileSync(join(directory, file), 'utf8').split('\n')
  const code = lines.filter(line => !/^\s*(?:\*|\/[/*])|^import|details open>/.test(line))
  expect(code.filter(line => PROSE.test(line) || READ.test(line))).toEqual([])
})

it.each(['/^the key is/.test(text)', 'message.match(/x/)', '/x/.exec(found.message)'])(
  'a pattern such as %s is found',
  line => expect(PROSE.test(line) || READ.test(line)).toBe(true)
)
