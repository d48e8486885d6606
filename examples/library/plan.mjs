// Plans a fleet and prints its changes; sends nothing.
//   WLANCTL_BASE_URL=https://… WLANCTL_API_TOKEN=… node plan.mjs DIRECTORY
import { loadFleet, plan, secretsFrom } from 'wlanctl'

const { WLANCTL_BASE_URL: baseUrl = '', WLANCTL_API_TOKEN: token = '' } = process.env
const [directory = '.'] = process.argv.slice(2)

const { desired, findings } = await loadFleet(directory, {
  secrets: secretsFrom({ env: process.env })
})
for (const { level, message } of findings) console.error(`${level}: ${message}`)
if (desired === undefined) throw new Error(`the files in ${directory} have errors`)

const { plan: planned } = await plan(desired, { baseUrl, tokens: [token] })
for (const { address, impact = 'none', patch } of planned.changes) {
  const fields = patch.filter(({ op }) => op !== 'test').map(({ path }) => path)
  console.log(`${address}: ${fields.join(', ')} (impact: ${impact})`)
}
for (const { message } of planned.refusals ?? []) console.log(`apply would refuse it: ${message}`)
