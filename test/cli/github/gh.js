// The command `gh api` on a GitHub that is a folder: `routes.json` has the answers by method and path, `calls` gets
// a line for each call. The `effects` of an answer replace others: what is read from then on.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'

const folder = process.argv[2]
const routes = JSON.parse(readFileSync(`${folder}/routes.json`, 'utf8'))
const words = process.argv.slice(3)
const after = name => words[words.indexOf(name) + 1]
const method = after('--method')
const path = words[words.indexOf('--method') + 2].replace(/\?.*/, '')
const body = words.includes('--input') ? JSON.parse(readFileSync(0, 'utf8')) : undefined
const secrets = Object.keys(process.env).filter(name => /^WLAN|^SECRET/.test(name))
const call = { method, path, body, host: after('--hostname'), secrets }
appendFileSync(`${folder}/calls`, `${JSON.stringify(call)}\n`)
const answer = routes[`${method} ${path}`] ?? { status: 404 }
if (answer.effects !== undefined) {
  writeFileSync(`${folder}/routes.json`, JSON.stringify({ ...routes, ...answer.effects }))
}
if (answer.status !== undefined) {
  process.stderr.write(`gh: ${answer.message ?? 'Not Found'} (HTTP ${answer.status})\n`)
  process.exit(1)
}
process.stdout.write(JSON.stringify(answer.value ?? {}))
