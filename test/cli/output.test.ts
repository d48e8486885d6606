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
    signalGroup: () => undefined
  }
  return { io, written }
}

const options = { format: 'json', report: [], color: false } as unknown as ReportOptions

it('writes a JSON report of any size', async () => {
  const count = 260_000
  const { io, written } = edges()
  const unmanaged = Array.from({ length: count }, (_, n) => ({ site: 's', id: `${n}`, ssid: 'x' }))
  await writeReport({ kind: 'plan', plan: { unmanaged } as unknown as Plan }, options, io)
  expect(JSON.parse(written.stdout).unmanaged).toHaveLength(count)
})
