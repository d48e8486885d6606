// Checks the live WLANs of an organization: every open WLAN isolates its clients and has a VLAN.
//   WLANCTL_BASE_URL=https://… WLANCTL_API_TOKEN=… node check-guests.mjs ORGANIZATION
import { diff, readLive, valueAt } from 'wlanctl'

const { WLANCTL_BASE_URL: baseUrl = '', WLANCTL_API_TOKEN: token = '' } = process.env
const [org = ''] = process.argv.slice(2)

const expected = { isolation: true, vlan_enabled: true }

for (const live of await readLive({ org }, { baseUrl, tokens: [token] })) {
  if (!('wlans' in live)) {
    console.error(`${live.site.name} was not read: ${live.reason}`)
    process.exitCode = 1
    continue
  }
  for (const { ssid, record } of live.wlans) {
    if (valueAt(record, '/enabled') !== true || valueAt(record, '/auth/type') !== 'open') continue
    const { patch } = diff(expected, record)
    const wrong = patch.filter(({ op }) => op !== 'test').map(({ path }) => path)
    if (wrong.length === 0) continue
    console.log(`${live.site.name}: ${ssid}: ${wrong.join(', ')}`)
    process.exitCode = 2
  }
}
