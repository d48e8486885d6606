// The floor of an apply: lists the WLANs of the sites, updates one WLAN per site, and reads it back.
import { forEachSite } from './connect.js'

const [parallelism, file = '', dtim] = process.argv.slice(2)
await forEachSite(Number(parallelism), file, async (ask, id) => {
  const path = `/api/v1/sites/${id}/wlans`
  const wlans = await ask('GET', path)
  const wlan = `${path}/${wlans.find(({ ssid }) => ssid === 'Events').id}`
  await ask('PUT', wlan, { dtim: Number(dtim) })
  const after = await ask('GET', wlan)
  if (after.dtim !== Number(dtim)) throw new Error(`${wlan} is not as it should be`)
})
