import { simulate } from '../../simulator/simulate.ts'
import { PROGRAM, startCommand } from '../../support/program.ts'
import { stopped } from './clock.ts'
import { checkout, secrets, sites, wanted } from './retail.ts'

/** The plan of a change as a terminal shows it, on the simulator at this port (0: any). */
export async function planOnTerminal(port: number): Promise<string> {
  const { simulator } = await simulate({ sites: sites(), port })
  const env = {
    ...secrets,
    FORCE_COLOR: '1',
    WLANCTL_BASE_URL: simulator.url,
    WLANCTL_API_TOKEN: simulator.token
  }
  const argv = [...stopped('2026-11-16T09:00:00Z'), PROGRAM]
  const run = (cwd: string, ...words: string[]) =>
    startCommand(process.execPath, [...argv, ...words], { cwd, env }).ended
  await run(checkout(), 'apply', '--yes')
  const { stdout } = await run(checkout(wanted), 'plan')
  return stdout
}
