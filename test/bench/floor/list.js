// The floor of a plan: lists the WLANs of the sites.
import { forEachSite } from './connect.js'

const [parallelism, file = ''] = process.argv.slice(2)
await forEachSite(Number(parallelism), file, async (ask, id) => {
  const wlans = await ask('GET', `/api/v1/sites/${id}/wlans`)
  if (wlans.length === 0) throw new Error(`no WLANs on ${id}`)
})
