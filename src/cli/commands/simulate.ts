import { once } from 'node:events'
import { Option } from 'commander'
import { type ExitCode, exit, Failure, reasonOf } from '../../core/model/failure.ts'
import { fileLimits } from '../../core/model/saved-file-limits.ts'
import { plural } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../../report/escape.ts'
import { checkTokens } from '../../service/http/connection.ts'
import { readSeed, type Seed } from '../../simulator/fleet/seed.ts'
import { DEMO_TOKEN, startSimulator } from '../../simulator/server.ts'
import { DEFAULT_ORG, type SimulatedSite } from '../../simulator/store.ts'
import type { CommandRow } from '../command.ts'
import { readInput } from '../files/files.ts'
import { integerBetween } from '../option-values.ts'
import { under } from '../options.ts'
import { type Io, quoteForShell, writeLines } from '../terminal/io.ts'

interface Options {
  readonly port: number
  readonly token: string
  readonly seed?: string
}

const SITES_LISTED = 10

export const command: CommandRow = {
  options: [
    under(
      'Simulation:',
      new Option('--port <n>', 'the port to listen on; 0 takes a free one')
        .argParser(integerBetween(0, 65_535))
        .default(0),
      new Option(
        '--token <token>',
        'the API token it accepts, or several: a,b; not a secret, it protects nothing'
      ).default(DEMO_TOKEN),
      new Option(
        '--seed <file>',
        'JSON with the initial sites and WLANs; default: three generated sites'
      )
    )
  ],
  examples: ['wlanctl simulate --seed examples/quickstart/simulator.json --port 8080'],
  run: ({ io }, options: Options) => simulate(options, io)
}

async function simulate(options: Options, io: Io): Promise<ExitCode> {
  const { port } = options
  const token = checkTokens(options.token).join(',')
  const { sites, switches } = await seedOf(options, io)
  const simulator = await startSimulator({ sites, port, token, switches }).catch(error => {
    throw new Failure(
      exit.failed,
      `port ${port} cannot be used: ${reasonOf(error)}`,
      'choose another --port, or omit it'
    )
  })
  try {
    await writeLines(io, greeting(simulator.url, token, sites))
    if (!io.interrupted.aborted) await once(io.interrupted, 'abort')
    return exit.done
  } finally {
    await simulator.close()
  }
}

async function seedOf({ seed }: Options, io: Io): Promise<Seed> {
  if (seed === undefined) return readSeed('{ "sites": 3 }')
  return readSeed(await readInput(seed, io.cwd, fileLimits.seed))
}

function greeting(url: string, token: string, sites: readonly SimulatedSite[]): string {
  const listed = sites.slice(0, SITES_LISTED)
  const rest = sites.length - listed.length
  const orgs = [...new Set(sites.map(({ org = DEFAULT_ORG }) => org))]
  const organization = orgs.length === 1 ? `Organization: ${orgs[0]}\n` : ''
  return `The embedded service listens on ${url} with ${plural(sites.length, 'site')}:
${listed.map(({ id, name, wlans }) => `  ${id}  ${escapeText(name)} (${plural(wlans.length, 'WLAN')})\n`).join('')}${rest > 0 ? `  … and ${rest} more\n` : ''}${organization}
Point the other commands at it:
  export WLANCTL_BASE_URL=${url}
  export WLANCTL_API_TOKEN=${escapeInside(quoteForShell(token))}

Ctrl-C ends it.
`
}
