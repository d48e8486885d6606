// node note.mjs plan|apply: creates or updates the note of this kind with the report on each merge request. The note of
// an apply lists all its runs.
import {
  body,
  list,
  main,
  marker,
  project,
  report,
  result,
  retry,
  self,
  send,
  verdict
} from './gitlab.mjs'

const { CI_COMMIT_SHA, CI_MERGE_REQUEST_IID, CI_PIPELINE_ID, CI_PIPELINE_URL } = process.env

const kinds = {
  plan: { file: 'plan.md', title: 'Plan: not made', ids: () => [Number(CI_MERGE_REQUEST_IID)] },
  apply: {
    file: 'outcome.md',
    title: 'Apply: ended without a report',
    ids: applied
  }
}

/** The merge requests of an apply; if it ended before it found them, those of its commit. */
async function applied() {
  const found = result('merge-requests.json')
  if (found !== undefined) return JSON.parse(found)
  const requests = await list(`${project}/repository/commits/${CI_COMMIT_SHA}/merge_requests`)
  return requests.filter(({ state }) => state === 'merged').map(({ iid }) => iid)
}

/** The lines about the runs in a note, including this run. */
function historyOf(note, text) {
  const earlier = note?.body.match(/^- \[Pipeline \d+\].*$/gm) ?? []
  const runs = [
    ...earlier.slice(-50),
    `- [Pipeline ${CI_PIPELINE_ID}](${CI_PIPELINE_URL}): ${verdict(text)}`
  ]
  return `\n<details><summary>All runs</summary>\n\n${runs.join('\n')}\n\n</details>\n`
}

/** Searches the note before each attempt, because an attempt whose response was lost may have created it. */
function write(kind, id, text, author) {
  const notes = `${project}/merge_requests/${id}/notes`
  return retry(async () => {
    const all = await list(`${notes}?sort=asc`)
    const own = note => note.author.id === author && note.body.startsWith(marker(kind))
    const note = all.find(own)
    const written = { body: body(kind, text, kind === 'apply' ? historyOf(note, text) : '') }
    if (note === undefined) await send('POST', notes, written)
    else if (note.body !== written.body) await send('PUT', `${notes}/${note.id}`, written)
  })
}

await main(async () => {
  const [kind] = process.argv.slice(2)
  const { file, title, ids } = kinds[kind]
  const author = await self()
  const text = report(file, title)
  for (const id of await ids()) await write(kind, id, text, author)
})
