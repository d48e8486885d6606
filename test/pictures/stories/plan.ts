import { simulate } from '../../simulator/simulate.ts'
import { Collector, wlanctl } from '../../support/program.ts'
import { checkout, secrets, sites } from './retail.ts'

/** The width of the terminal, in characters. */
const COLUMNS = 80

/** The stores of a region. */
const REGION = 'store-[eh]*'

/** The command whose output is drawn. */
export const planCommand = `wlanctl plan --site '${REGION}'`

/** Another VLAN for guests, and a network that goes off. */
const edits = {
  'profiles.yaml': { 'vlan_id: 40': 'vlan_id: 45' },
  'store-hamburg.yaml': { 'ssid: Harbour Café': 'ssid: Harbour Café\n    enabled: false' }
}

/** The plan of a change on a terminal, up to its verdict, with the simulator on this port (0: any). */
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
  await wlanctl(
    ['plan', '--site', REGION],
    { cwd: checkout(edits), env },
    { now, stdout: terminal }
  )
  return terminal.text.replace(/\n\nNext:[\s\S]*$/, '\n')
}
