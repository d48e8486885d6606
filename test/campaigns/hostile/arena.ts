import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folder } from '../../support/program.ts'
import { type Answer, hostile, type Request, type Service, siteId } from './service.ts'
import { runBounds, type Survived, survive, type Trial } from './survive.ts'

/** A folder with a fleet, a hostile service, and the built program. */
export interface Arena {
  readonly cwd: string
  readonly service: Service
  /** Runs the program with the arguments of a line; fails if it breaks a rule. */
  run(line: string, trial: Pick<Trial, 'codes'> & Partial<Trial>): Promise<Survived>
  /** Writes a file below the folder and returns its path. */
  write(file: string, content: string | Buffer): string
}

/** Declares one change, `vlan_id`, on each of this many sites. */
export function fleetOf(sites: number): string {
  const lines = Array.from({ length: sites }, (_, n) => `  - { id: ${siteId(n)}, name: s${n} }\n`)
  return `sites:\n${lines.join('')}wlans:\n  guest: { ssid: Guest, vlan_id: 11 }\n`
}

/** The fleet has two sites; `answer` overrides the response of a healthy service. */
export async function arena(
  answer: (request: Request) => Answer = () => undefined
): Promise<Arena> {
  const cwd = folder()
  const service = await hostile(answer)
  const env = { WLANCTL_BASE_URL: service.url, WLANCTL_API_TOKEN: 'token-of-the-campaign' }
  const made: Arena = {
    cwd,
    service,
    run: (line, trial) =>
      survive({
        bounds: runBounds,
        ...trial,
        argv: line.split(' '),
        cwd,
        env: { ...env, ...trial.env }
      }),
    write(file, content) {
      const path = join(cwd, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    }
  }
  made.write('fleet/sites.yaml', fleetOf(2))
  return made
}

/** True if a request is for the first site, which the cases attack; the second is healthy. */
export function isFirst({ path }: Request): boolean {
  return path.includes(siteId(0))
}
