import { chmodSync, cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder, ROOT, startCommand } from '../support/program.ts'

type Commands = Readonly<Record<string, string>>

const tools = ['bash', 'dirname', 'env', 'id', 'mktemp', 'rm']

/** A PATH with these commands, each a line of bash, and the standard tools. */
function pathOf(commands: Commands): string {
  const bin = folder()
  for (const name of tools) symlinkSync(join('/usr/bin', name), join(bin, name))
  symlinkSync(process.execPath, join(bin, 'node'))
  for (const [name, line] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${line}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

/** The end of the output and the exit code of CI on a machine with these commands. */
async function ci(commands: Commands) {
  const cwd = folder()
  cpSync(join(ROOT, '.ci/run'), join(cwd, '.ci/run'))
  const env = { PATH: pathOf({ sudo: '"$@"', ...commands }) }
  const { code, stdout } = await startCommand('bash', ['.ci/run'], { cwd, env }).ended
  return { code, lines: stdout.trimEnd().split('\n') }
}

const programs = { 'cmark-gfm': '', chromium: '', rsync: '' }

/** An npm whose `run check` writes this report and exits with this code. */
const npm = (report: string, code: number) =>
  `[[ $1 != run ]] || { echo '${report}' >"$WLANCTL_TEST_REPORT"; exit ${code}; }`

const report = (passed: number, failed: number, success: boolean) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, success })

const fine = npm(report(5, 0, true), 0)

it.each([
  ['everything passes', { ...programs, npm: fine }, 0, '5 passed, 0 failed'],
  ['tests fail', { ...programs, npm: npm(report(5, 2, false), 1) }, 1, '5 passed, 2 failed'],
  [
    'a file cannot load',
    { ...programs, npm: npm(report(5, 0, false), 1) },
    1,
    '5 passed, 1 failed'
  ],
  ['a report is truncated', { ...programs, npm: npm('{"numPassed', 1) }, 1, '0 passed, 1 failed'],
  ['it fails before the tests', { ...programs, npm: 'exit 1' }, 1, '0 passed, 1 failed'],
  ['a package is unavailable', { 'apt-get': 'exit 100', npm: fine }, 1, '0 passed, 1 failed']
])('CI increments its counter if %s', async (_, commands, code, last) => {
  const ended = await ci(commands)
  expect({ code: ended.code, last: ended.lines.at(-1) }).toEqual({ code, last })
})

it('CI installs missing tools only', async () => {
  const apt = { 'apt-get': 'echo "$DEBIAN_FRONTEND: apt-get $*"', npm: fine }
  const { lines } = await ci({ ...apt, 'cmark-gfm': '', rsync: '' })
  const install = lines.filter(line => line.includes(' install '))
  expect(install).toEqual([expect.stringMatching(/^noninteractive: .* chromium$/)])
  expect((await ci({ ...apt, ...programs })).lines).toEqual(['5 passed, 0 failed'])
})
