import { join } from 'node:path'
import { build } from 'rolldown'

/**
 * The exports of a file of `src/`, which is TypeScript and is bundled first.
 * @param {string} path below `src/`
 */
export async function source(path) {
  const { output } = await build({
    input: join(import.meta.dirname, '../../src', path),
    platform: 'node',
    write: false
  })
  const code = Buffer.from(output[0].code).toString('base64')
  return import(`data:text/javascript;base64,${code}`)
}
