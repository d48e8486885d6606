import { expect, test } from 'vitest'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'
import { limits } from '../../../src/fleet/limits.ts'

const MIB = 1024 * 1024

test.each([
  ...[' ', '[', '{', ']', ',', '\n', '-\n', ': ', '? ', '"', '#\n', '---\n', '!x ', '%A\n'],
  ...['a: &a\n', '- |\n', '[],']
])('a file of 4 MiB of %j stays within the limits', async piece => {
  const findings = await parseSource(new Source('f', 'f', piece.repeat((4 * MIB) / piece.length)))
  expect(findings.length).toBeLessThanOrEqual(limits.faults)
})
