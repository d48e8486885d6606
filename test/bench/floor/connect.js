import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/**
 * The floor for every program that uses the service: runs the task for each id in the file, with as many
 * connections as concurrent ids; responses are parsed, and nothing else.
 * @param {number} connections
 * @param {string} file
 * @param {(ask: (method: string, path: string, body?: object) => Promise<any>, id: string) => Promise<void>} task
 */
export async function forEachSite(connections, file, task) {
  const { WLANCTL_BASE_URL: origin = '', WLANCTL_API_TOKEN: token } = process.env
  const pool = new Pool(origin, { connections })
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' }
  const ask = async (method, path, body) => {
    const sent = body === undefined ? null : JSON.stringify(body)
    const response = await pool.request({ method, path, headers, body: sent })
    const text = await response.body.text()
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${path}: ${text}`)
    return JSON.parse(text)
  }
  const queue = readFileSync(file, 'utf8').split('\n').values()
  const worker = async () => {
    for (const id of queue) await task(ask, id)
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await pool.destroy()
}
