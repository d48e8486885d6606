import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import { escapeText } from '../../src/report/escape.ts'
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { folder, wlanctl } from '../support/program.ts'
import { readScenario } from './scenario.ts'

const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

/** The output of `apply` for a refusal. */
function refusalLine(refusals: readonly Finding[]): string {
  const messages = refusals.slice(0, 5).map(({ message }) => message)
  const rest = refusals.length - messages.length
  const all = [...messages, ...(rest > 0 ? [`and ${rest} more`] : []), 'nothing was sent']
  return `refused: ${all.join('; ')}`
}

describe('apply refuses exactly the refusals that plan lists', () => {
  it.each(names)('%s', async name => {
    const cwd = folder()
    cpSync(join(import.meta.dirname, name), cwd, { recursive: true })
    const { env = {}, switches = {} } = readScenario(cwd)
    const sites = readSeed(readFileSync(join(cwd, 'live.json'), 'utf8')).sites
    const { simulator } = await simulate({ sites, switches })
    const all = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token, ...env }
    const run = (...args: string[]) => wlanctl(args, { cwd, env: all })
    const planned = await run('plan', 'fleet', '--format', 'json')
    if (planned.code === 3 || planned.code === 1) return
    const { refusals = [], changes }: { refusals?: Finding[]; changes: object[] } = JSON.parse(
      planned.stdout
    )
    const errors = refusals.filter(({ level }) => level === 'error')
    const missing = refusals.some(({ code }) => code === 'SECRETS_MISSING')
    const kept = errors.flatMap(({ code, addresses }) =>
      code === 'PROTECTED' ? [addresses?.length ?? 1] : []
    )[0]
    const stops = errors.some(({ code }) => code !== 'PROTECTED') || kept === changes.length
    const { code, stderr } = await run('apply', 'fleet', '--yes', '--verify-timeout', '1')
    expect(code === 3 && stderr.includes('missing secret of')).toBe(missing)
    if (missing) return
    expect(code === 4).toBe(stops)
    expect(stderr.includes('refused: ')).toBe(stops)
    if (stops) expect(stderr).toContain(escapeText(refusalLine(errors)))
  })
})
