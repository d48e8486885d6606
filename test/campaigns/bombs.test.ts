import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FindingCode } from '../../src/core/model/finding.ts'
import { fleetOf } from '../fleet/fleet.ts'
import { PROGRAM, startCommand } from '../support/program.ts'
import { expectHarmless } from './oracles.ts'

const nested = (bracket: string) => `site: ${bracket.repeat(2000 / bracket.length)}`
const keys = Array.from({ length: 40_000 }, (_, n) => `  key${n}: { ssid: a }\n`)
const laughs = Array.from({ length: 12 }, (_, n) => {
  const again = Array.from({ length: 9 }, () => `*l${n - 1}`)
  return `  l${n}: &l${n} ${n === 0 ? 'ha' : `[${again.join(', ')}]`}\n`
})

/** Files that exhaust other parsers, with the expected finding. */
const bombs: Readonly<Record<string, readonly [content: string | Buffer, said: FindingCode]>> = {
  'deep-lists.yaml': [nested('['), 'YAML_TOO_LARGE'],
  'deep-maps.yaml': [nested('{a: '), 'YAML_TOO_LARGE'],
  'wide.yaml': [`wlans:\n${keys.join('')}`, 'YAML_TOO_LARGE'],
  'aliases.yaml': [`profiles:\n${laughs.join('')}`, 'YAML_TOO_LARGE'],
  'spaces.yaml': [' '.repeat(5 * 1024 * 1024), 'FILE_TOO_LARGE'],
  'latin-1.yaml': [Buffer.from('site: { name: Köln }\n', 'latin1'), 'FILE_NOT_UTF8']
}

const LINK = 'link.yaml: LINK_LEADS_OUT'

it('each YAML bomb is reported in one run, in little memory', async () => {
  const contents = Object.entries(bombs).map(([name, [content]]) => [name, content])
  const cwd = fleetOf(Object.fromEntries(contents))
  symlinkSync('/etc/passwd', join(cwd, 'link.yaml'))
  const argv = ['--max-old-space-size=200', PROGRAM, 'validate', '--format', 'json']
  const { code, stdout, stderr } = await startCommand(process.execPath, argv, { cwd }).ended
  expect(code).toBe(3)
  expectHarmless(stdout + stderr)
  const findings: { code: string; place: { file: string } }[] = JSON.parse(stdout).findings
  expect(findings.map(({ code, place }) => `${place.file}: ${code}`).sort()).toEqual(
    [...Object.entries(bombs).map(([file, [, said]]) => `${file}: ${said}`), LINK].sort()
  )
})
