// Maintains two issues about the fleet by the results of the drift check: one while the live state differs from the
// declaration, with a comment if more WLANs drift, because an edit sends no mail; one while the fleet cannot be checked,
// with the time since when. Closes each when its problem ends.
import { body, list, main, marker, project, report, result, retry, self, send } from './gitlab.mjs'

const { env } = process
const issues = `${project}/issues`
const name = env.FLEET_NAME
const check = `[the check](${env.CI_PIPELINE_URL})`

/** The fields of a change that differ now, but did not in an earlier check. */
function newFields({ patch, first_seen = {} }) {
  return patch
    .filter(({ op, path }) => op !== 'test' && !(path in first_seen))
    .map(({ path }) => path)
}

/** The changes since the last check: declared fields that differ, and undeclared guard fields. */
function freshIn({ changes }, moved) {
  return [
    ...changes.map(change => ({ ...change, fields: newFields(change) })),
    ...moved.map(({ message, ...each }) => ({ ...each, fields: message.match(/^\/[^ ]+/) ?? [] }))
  ].filter(({ fields }) => fields.length > 0)
}

/** The result of the check: drift, none, incomplete or failed. */
function statusOf(drift, code) {
  if (drift === undefined || !['0', '2', '4', '5'].includes(code)) return { status: 'failed' }
  const { summary, findings } = drift
  const incomplete = summary.sites_failed + summary.blocked > 0
  const moved = findings.filter(({ code }) => code === 'UNDECLARED_CHANGED')
  const differs = summary.changed > 0 || moved.length > 0
  const fresh = freshIn(drift, moved)
  // A violated policy, for example; the report has the reason.
  const status = differs ? 'drift' : incomplete || code !== '0' ? 'incomplete' : 'none'
  return { status, incomplete, fresh }
}

const safe = text => text.replace(/[^\w ./:@+-]/g, '_')

/** An owner as a group in this project's group, unless the owner names a user or group. */
function mention(owner) {
  if (/^@[\w.-]+(?:\/[\w.-]+)*$/.test(owner)) return owner
  return /^[a-z0-9][\w.-]*$/.test(owner)
    ? `@${env.CI_PROJECT_ROOT_NAMESPACE}/${owner}`
    : `\`${safe(owner)}\``
}

/** A line for each WLAN with new drift, with its owner. */
function linesOf(fresh) {
  const lines = fresh.slice(0, 50).map(({ address, owner, fields }) => {
    const named = fields.slice(0, 10).map(field => `\`${safe(field)}\``)
    return `- \`${safe(address)}\`: ${named.join(', ')}${owner ? ` ${mention(owner)}` : ''}`
  })
  return lines.join('\n')
}

/** Finds our open issue of a kind. */
async function find(kind, author) {
  const open = await list(`${issues}?state=opened&author_id=${author}`)
  return open.find(
    each => each.author.id === author && (each.description ?? '').startsWith(marker(kind))
  )
}

/** Opens or updates the issue of a kind; `onOpen` is part of a new one only. Returns the issue that was open. */
function keep(kind, author, { title, text, onOpen = '' }) {
  return retry(async () => {
    const issue = await find(kind, author)
    if (issue) await send('PUT', `${issues}/${issue.iid}`, { description: body(kind, text(issue)) })
    else {
      const description = body(kind, `${text()}${onOpen}`)
      await send('POST', issues, { title, description, labels: env.DRIFT_LABELS ?? '' })
    }
    return issue
  })
}

/** Closes the issue of a kind, if it is open, with a comment. */
function close(kind, author, text) {
  return retry(async () => {
    const issue = await find(kind, author)
    if (!issue) return
    await send('POST', `${issues}/${issue.iid}/notes`, { body: text })
    await send('PUT', `${issues}/${issue.iid}`, { state_event: 'close' })
  })
}

async function keepDrift(author, { incomplete, fresh }) {
  const note = incomplete
    ? '\n**Incomplete:** some of the fleet could not be checked, and may drift as well.\n'
    : ''
  const lines = linesOf(fresh)
  const issue = await keep('drift', author, {
    title: `Drift: ${name} is not as declared`,
    text: () => report('drift.md', 'Drift') + note,
    onOpen: lines && `\n#### Owners\n\n${lines}\n`
  })
  if (issue && lines) {
    await send('POST', `${issues}/${issue.iid}/notes`, {
      body: `Drift of more WLANs, found by ${check}:\n\n${lines}\n`
    })
  }
}

function keepUnchecked(author) {
  const since = issue => /Cannot check since ([0-9T:-]+Z)/.exec(issue?.description ?? '')?.[1]
  const now = `${new Date().toISOString().slice(0, 16)}Z`
  return keep('unchecked', author, {
    title: `Drift: ${name} cannot be checked`,
    text: issue => `**Cannot check since ${since(issue) ?? now}:** drift of what could not be checked goes unnoticed.

${report('drift.md', 'Drift: cannot be checked')}`
  })
}

await main(async () => {
  const text = result('drift.json')
  const found = statusOf(text && JSON.parse(text), result('exit-code')?.trim())
  const author = await self()
  const isWhole = found.status === 'none' || (found.status === 'drift' && !found.incomplete)
  if (found.status === 'drift') await keepDrift(author, found)
  else if (found.status !== 'none') await keepUnchecked(author)
  if (found.status === 'none')
    await close('drift', author, `As declared again: ${check} found no drift.`)
  if (isWhole) await close('unchecked', author, `Checked again: ${check} read all of it.`)
})
