// node stored.mjs FOLDER: fetches the results of the last drift checks of the default branch: FOLDER/snapshot.json, and
// FOLDER/drift-N.json, the newest first, up to one that read every site. For a merge request from a fork it queries the
// target project without a token, which works if its pipelines are public. Finding nothing is not an error.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { artifact, list, main } from './gitlab.mjs'

const { env } = process
const project = `/projects/${encodeURIComponent(env.CI_MERGE_REQUEST_PROJECT_ID ?? env.CI_PROJECT_ID ?? '')}`

/** The maximum number of earlier checks to read. */
const CHECKS = 30

/** The ids of the drift check jobs, the newest first. */
async function* checks() {
  const query = `source=schedule&ref=${encodeURIComponent(env.CI_DEFAULT_BRANCH ?? '')}&order_by=id&sort=desc`
  const pipelines = await list(`${project}/pipelines?${query}`, 1)
  for (const { id } of pipelines.slice(0, CHECKS)) {
    const jobs = await list(`${project}/pipelines/${id}/jobs`)
    const job = jobs.find(({ name }) => name === 'drift')
    if (job) yield job.id
  }
}

/** True if a report or a snapshot contains every site. */
function isComplete(text) {
  try {
    return JSON.parse(text.toString()).summary.sites_failed === 0
  } catch {
    return false
  }
}

async function fetchStored(folder) {
  let reports = 0
  let hasSnapshot = false
  let isWhole = false
  for await (const job of checks()) {
    const snapshot = hasSnapshot ? undefined : await artifact(project, job, 'snapshot.json')
    if (snapshot) writeFileSync(join(folder, 'snapshot.json'), snapshot)
    hasSnapshot ||= snapshot !== undefined
    const report = isWhole ? undefined : await artifact(project, job, 'drift.json')
    if (report) writeFileSync(join(folder, `drift-${++reports}.json`), report)
    isWhole ||= report !== undefined && isComplete(report)
    if (hasSnapshot && isWhole) return
  }
}

await main(async () => {
  const [folder = ''] = process.argv.slice(2)
  mkdirSync(folder, { recursive: true })
  try {
    await fetchStored(folder)
  } catch (error) {
    // The first check has no earlier results, and a fork may not be allowed to read them.
    process.stderr.write(`wlanctl: nothing stored is used: ${error.message}\n`)
  }
})
