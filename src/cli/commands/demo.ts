import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fleet from '../../../examples/quickstart/hq.yaml'
import seed from '../../../examples/quickstart/simulator.json' with { type: 'json' }
import { type ExitCode, exit } from '../../core/model/failure.ts'
import { formatValue } from '../../report/fields/format-value.ts'
import { wrapText } from '../../report/layout.ts'
import { wlanValue } from '../../service/live.ts'
import { readSeed } from '../../simulator/fleet/seed.ts'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import type { CommandRow, Context } from '../command.ts'
import { columnsOf, type Io, write } from '../terminal/io.ts'

const secrets = { WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby' }

export const command: CommandRow = {
  examples: ['wlanctl demo'],
  run: ({ io, run }) => demo(io, run)
}

async function demo(io: Io, run: Context['run']): Promise<ExitCode> {
  const folder = await mkdtemp(join(tmpdir(), 'wlanctl-demo-'))
  const simulator = await startSimulator({
    sites: readSeed(JSON.stringify(seed)).sites,
    clock: () => io.now().getTime()
  })
  try {
    await writeFile(join(folder, 'hq.yaml'), fleet)
    return await story(new Stage(io, folder, simulator, run))
  } finally {
    await simulator.close()
    await rm(folder, { recursive: true })
  }
}

async function story(stage: Stage): Promise<ExitCode> {
  await stage.print(
    'A site, `hq`, runs on a cloud service. This file declares its Wi-Fi:',
    indent(fleet)
  )
  await stage.print('What would change? Nothing is written yet.')
  await stage.call('plan')
  await stage.print('Apply it. Each WLAN is read back: `applied` means seen, not sent.')
  const applied = await stage.call('apply', '--yes', '--quiet')
  await stage.print('This is all that was sent: the changed fields, each complete, and no other.')
  await stage.print(stage.sent())
  await stage.print('Now live is as declared, and a second plan is empty.')
  const planned = await stage.call('plan', '--detailed-exitcode')
  await stage.print('Then the guest network is edited by hand, in the web console …')
  stage.editByHand()
  await stage.print('… and the scheduled check finds it (exit code 2):')
  const drifted = await stage.call('drift')
  await stage.print('Apply the file again to undo the edit.')
  const repaired = await stage.call('apply', '--yes', '--quiet')
  await stage.print('That is the whole job. Next: `wlanctl simulate`, and a file of your own.')
  const succeeded =
    applied === exit.done &&
    planned === exit.done &&
    drifted === exit.changes &&
    repaired === exit.done
  return succeeded ? exit.done : exit.failed
}

class Stage {
  readonly #io: Io
  readonly #simulator: Simulator
  readonly #run: Context['run']

  constructor(io: Io, folder: string, simulator: Simulator, run: Context['run']) {
    const env = { ...secrets, WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
    const { NO_COLOR, FORCE_COLOR, TERM, PATH, HOME } = io.env
    this.#io = { ...io, cwd: folder, env: { ...env, NO_COLOR, FORCE_COLOR, TERM, PATH, HOME } }
    this.#simulator = simulator
    this.#run = run
  }

  async print(...paragraphs: readonly string[]): Promise<void> {
    this.#io.interrupted.throwIfAborted()
    const { stdout } = this.#io
    const width = stdout.isTTY === true ? columnsOf(stdout) : Number.POSITIVE_INFINITY
    const lines = paragraphs.flatMap(text => [...text.split('\n'), ''])
    const wrapped = lines.flatMap(line =>
      wrapText(line.trimStart(), width, /^ */.exec(line)?.[0] ?? '')
    )
    await write(this.#io, wrapped.map(line => `${line}\n`).join(''))
  }

  async call(...argv: readonly string[]): Promise<ExitCode> {
    await write(this.#io, `  $ wlanctl ${argv.join(' ')}\n\n`)
    // The story says the next steps; those of a command would name a folder that goes.
    const code = await this.#run({ ...this.#io, argv: [...argv, '--quiet'] })
    await write(this.#io, '\n')
    return code
  }

  sent(): string {
    return this.#simulator.requests
      .filter(({ method }) => method === 'PUT')
      .map(
        ({ path, body }) =>
          `  PUT …${path.slice(path.indexOf('/wlans/'))}\n      ${formatValue(wlanValue(structuredClone(body)))}`
      )
      .join('\n')
  }

  editByHand(): void {
    const [site] = readSeed(JSON.stringify(seed)).sites
    const guest = site?.wlans.find(wlan => wlan['ssid'] === 'Visitors')
    this.#simulator.edit(String(site?.id), String(guest?.['id']), { isolation: false, vlan_id: 20 })
  }
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map(line => `    ${line}`.trimEnd())
    .join('\n')
}
