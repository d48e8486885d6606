import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder, ROOT, shell, startBuilt } from '../support/program.ts'
import { blocksOf, textOf } from './markdown.ts'

const page = textOf('examples/judged/README.md')

/** Without the figures that depend on the second at which a command runs. */
function withoutShares(text: string): string {
  return text.replaceAll(/[+−]?[\d.]+ %/g, 'N %')
}

it('the demo of a judged rollout does what its page says', { timeout: 120_000 }, async () => {
  const cwd = folder()
  cpSync(join(ROOT, 'examples'), join(cwd, 'examples'), { recursive: true })
  const [simulate = '', connect = '', harmless = '', harmful = ''] = blocksOf(page, 'bash')
  const service = startBuilt(simulate.trim().split(' ').slice(1), { cwd })
  await service.until(/Ctrl-C ends it/)
  const connection = service.stdout.match(/export .*/g)?.join('\n')
  const parts = [connection, connect, 'set -e', harmless, 'set +e', harmful]
  const { code, stdout } = await shell(parts.join('\n'), { cwd })
  const results = stdout.split('\n').filter(line => /^(?:Judged|Apply): /.test(line))
  expect(withoutShares(results.join('\n'))).toBe(
    withoutShares(blocksOf(page, 'text').join('').trimEnd())
  )
  expect(code).toBe(5)
})
