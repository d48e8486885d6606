import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { ReportOptions } from '../../src/cli/options.ts'
import { writeReport } from '../../src/cli/output.ts'
import type { Io } from '../../src/cli/terminal/io.ts'
import type { Plan } from '../../src/core/model/plan.ts'

/** An `Io` with outputs in memory. */
function edges() {
  const written = { stdout: '', stderr: '' }
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk)
        done()
      }
    })
  const io: Io = {
    argv: [],
    env: {},
    cwd: '/',
    stdin: new PassThrough(),
    stdout: into('stdout'),
    stderr: into('stderr'),
    now: () => new Date(0),
    node: 'v24.0.0',
    interrupted: new AbortController().signal,
    abortSignal: new AbortController().signal,
    interrupt: () => undefined,
    keepRequests: () => undefined,
    signalGroup: () => undefined
  }
  return { io, written }
}

const options = { format: 'json', report: [], color: false } as unknown as ReportOptions

it.each([
  [1_000, ''],
  [
    260_000,
    /^wlanctl: the result cannot be read back by wlanctl: the file .*the limit of a saved plan is .*; run with --site or --shard for smaller parts\n$/
  ]
])('a JSON report of %i unmanaged WLANs stays small', async (count, note) => {
  const { io, written } = edges()
  const unmanaged = Array.from({ length: count }, (_, n) => ({ site: 's', id: `${n}`, ssid: 'x' }))
  await writeReport({ kind: 'plan', plan: { unmanaged } as unknown as Plan }, options, io)
  expect(JSON.parse(written.stdout).unmanaged).toHaveLength(count)
  expect(written.stderr).toEqual(note === '' ? '' : expect.stringMatching(note))
})
