import { simulate } from '../../simulator/simulate.ts'
import { Collector, wlanctl } from '../../support/program.ts'
import { checkout, secrets, sites, wanted } from './retail.ts'

/** The width of the terminal, in characters. */
const COLUMNS = 80

/** The plan of a change on a terminal, with the simulator on this port (0: any). */
export async function planOnTerminal(port: number): Promise<string> {
  const { simulator } = await simulate({ sites: sites(), port })
  const env = {
    ...secrets,
    WLANCTL_BASE_URL: simulator.url,
    WLANCTL_API_TOKEN: simulator.token
  }
  const now = () => new Date('2026-11-16T09:00:00Z')
  await wlanctl(['apply', '--yes'], { cwd: checkout(), env }, { now })
  const terminal = Object.assign(new Collector(), { isTTY: true, columns: COLUMNS })
  await wlanctl(['plan'], { cwd: checkout(wanted), env }, { now, stdout: terminal })
  return terminal.text
}
