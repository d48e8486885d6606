// A fake `gh` for the commands of the workflows, on a GitHub that is one JSON file. It logs each call, prints
// pages like `gh api --paginate`, and rejects requests that the job's token does not permit.
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { FAKE_GITHUB = '', FAKE_PERMISSIONS = '{}', GH_TOKEN, GITHUB_REPOSITORY } = process.env
const file = join(FAKE_GITHUB, 'state.json')
const state = JSON.parse(readFileSync(file, 'utf8'))
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    paginate: { type: 'boolean', default: false },
    method: { type: 'string', default: 'GET' },
    input: { type: 'string' },
    repo: { type: 'string' },
    name: { type: 'string', default: '' },
    dir: { type: 'string', default: '' }
  }
})

function needs(scope, level) {
  const has = JSON.parse(FAKE_PERMISSIONS)[scope]
  if (has !== 'write' && has !== level) throw new Error(`HTTP 403: no ${scope}: ${level}`)
}

function needsIssue(number, level) {
  const isPull = Object.values(state.pulls).some(([pull]) => pull?.number === Number(number))
  needs(isPull ? 'pull-requests' : 'issues', level)
}

/** Fails if the state says that the next calls fail. */
function failIfTold(call) {
  const failure = state.failures.find(({ matching, times }) => times > 0 && call.includes(matching))
  if (failure === undefined) return
  failure.times -= 1
  writeFileSync(file, JSON.stringify(state))
  throw new Error(`gh: ${failure.problem}`)
}

const user = { login: 'github-actions[bot]' }

/** Method and path; the function gets the groups of the path. */
const routes = {
  'GET issues/(\\d+)/comments'([number]) {
    needsIssue(number, 'read')
    return state.comments.filter(({ issue }) => issue === Number(number))
  },
  'POST issues/(\\d+)/comments'([number], { body }) {
    needsIssue(number, 'write')
    state.comments.push({ id: ++state.last, issue: Number(number), user, body })
    return {}
  },
  'PATCH issues/comments/(\\d+)'([id], { body }) {
    const comment = state.comments.find(comment => comment.id === Number(id))
    needsIssue(comment.issue, 'write')
    return Object.assign(comment, { body })
  },
  'GET issues'() {
    needs('issues', 'read')
    return state.issues.filter(issue => issue.state === 'open')
  },
  'POST issues'(_, { title, body, labels = [], assignees = [] }) {
    needs('issues', 'write')
    if (assignees.includes('nobody-here')) throw new Error('HTTP 422: Validation Failed')
    const people = { labels, assignees }
    state.issues.push({ number: ++state.last, state: 'open', user, title, body, ...people })
    return {}
  },
  'PATCH issues/(\\d+)'([number], change) {
    needs('issues', 'write')
    const issue = state.issues.find(issue => issue.number === Number(number))
    return Object.assign(issue, change)
  },
  'GET commits/(\\w+)/pulls'([commit]) {
    needs('pull-requests', 'read')
    return state.pulls[commit] ?? []
  },
  'GET git/ref/heads/(.+)'() {
    needs('contents', 'read')
    return { object: { sha: state.tip } }
  },
  'GET git/matching-refs/heads/(.+)'([prefix]) {
    needs('contents', 'read')
    return Object.entries(state.branches)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, sha]) => ({ ref: `refs/heads/${name}`, object: { sha } }))
  },
  'GET git/commits/(\\w+)'([sha]) {
    needs('contents', 'read')
    return state.commits[sha]
  },
  'POST git/trees'(_, tree) {
    needs('contents', 'write')
    const sha = createHash('sha1').update(JSON.stringify(tree)).digest('hex')
    state.trees[sha] = tree
    return { sha }
  },
  'POST git/commits'(_, { message, tree, parents }) {
    needs('contents', 'write')
    const sha = `commit${++state.last}`
    const made = { sha, message, tree: { sha: tree }, parents: parents.map(sha => ({ sha })) }
    state.commits[sha] = made
    return made
  },
  'POST git/refs'(_, { ref, sha }) {
    needs('contents', 'write')
    state.branches[ref.replace('refs/heads/', '')] = sha
    return {}
  },
  'PATCH git/refs/heads/(.+)'([name], { sha, force }) {
    needs('contents', 'write')
    if (!force) throw new Error('HTTP 422: Update is not a fast forward')
    state.branches[name] = sha
    return {}
  },
  'GET pulls'(_, __, query) {
    needs('pull-requests', 'read')
    return state.opened.filter(({ head }) => `acme:${head}` === query.get('head'))
  },
  'POST pulls'(_, pull) {
    needs('pull-requests', 'write')
    const made = { ...pull, number: ++state.last }
    state.opened.push(made)
    return made
  },
  'PATCH pulls/(\\d+)'([number], change) {
    needs('pull-requests', 'write')
    return Object.assign(
      state.opened.find(pull => pull.number === Number(number)),
      change
    )
  },
  'GET actions/runs/(\\d+)/artifacts'([run]) {
    needs('actions', 'read')
    return state.artifacts.filter(({ workflow_run }) => workflow_run.id === Number(run))
  },
  'GET actions/artifacts'(_, __, query) {
    needs('actions', 'read')
    return state.artifacts.filter(({ name }) => name === query.get('name'))
  }
}

function api(address) {
  const url = new URL(address, 'https://api.github.com')
  const path = `${values.method} ${url.pathname.replace(`/repos/${GITHUB_REPOSITORY}/`, '')}`
  const body = values.input === '-' ? JSON.parse(readFileSync(0, 'utf8')) : {}
  for (const [route, answer] of Object.entries(routes)) {
    const match = new RegExp(`^${route}$`).exec(path)
    if (match) return pages(answer(match.slice(1), body, url.searchParams), url)
  }
  throw new Error(`HTTP 404: ${path}`)
}

function pages(answer, url) {
  if (!Array.isArray(answer)) return JSON.stringify(answer)
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const count = values.paginate ? Math.max(1, Math.ceil(answer.length / size)) : 1
  return Array.from({ length: count }, (_, at) => answer.slice(at * size, (at + 1) * size))
    .map(page => JSON.stringify(url.pathname.endsWith('/artifacts') ? { artifacts: page } : page))
    .join('')
}

function download(run) {
  needs('actions', 'read')
  cpSync(join(FAKE_GITHUB, 'artifacts', run, values.name), values.dir, { recursive: true })
  return ''
}

const [command, subject, run] = positionals
if (!GH_TOKEN) throw new Error('there is no GH_TOKEN')
failIfTold([values.method, ...positionals].join(' '))
const text = command === 'api' ? api(subject) : download(run)
state.calls.push([values.method, ...positionals].join(' '))
writeFileSync(file, JSON.stringify(state))
process.stdout.write(text)
