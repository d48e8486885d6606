import { need, Reply, type Routes } from './routes.ts'
import type { Comment, ForgeState, Job, Pull, Run, StoredIssue } from './state.ts'

/** The id of the project of the tests, and its path. */
export const PROJECT = '42'
export const PROJECT_PATH = 'acme/wifi'
const FORK = 43

/** The names of events. */
export const gitlabSources: Readonly<Record<Run['event'], string>> = {
  push: 'push',
  pull_request: 'merge_request_event',
  schedule: 'schedule',
  manual: 'web',
  merge_group: 'merge_request_event'
}

/** The part of GitLab's REST interface that wlanctl uses, as its documentation has it. */
export function gitlabRoutes(state: ForgeState, storage: string): Routes {
  const { repository } = state
  const web = `https://gitlab.test/${PROJECT_PATH}`

  const pipelineOf = (run: Run) => ({
    id: run.id,
    project_id: Number(PROJECT),
    sha: run.checkout,
    ref: refOf(run),
    source: gitlabSources[run.event],
    updated_at: (run.jobs.at(-1)?.endedAt ?? run.createdAt).toISOString(),
    web_url: `${web}/-/pipelines/${run.id}`
  })

  const jobOf = (job: Job, isTag = false) => {
    const [artifact] = job.artifacts
    const isStored = artifact !== undefined && !artifact.isExpired
    const size = artifact?.size ?? artifact?.archive.length ?? 0
    return {
      id: job.id,
      name: job.name,
      status: job.status ?? (job.endedAt === undefined ? 'running' : 'success'),
      tag: isTag,
      web_url: `${web}/-/jobs/${job.id}`,
      created_at: job.startedAt.toISOString(),
      finished_at: job.endedAt?.toISOString() ?? null,
      artifacts_expire_at: artifact === undefined ? null : '2099-01-01T00:00:00Z',
      ...(isStored ? { artifacts_file: { filename: `${artifact.name}.zip`, size } } : {})
    }
  }

  const requestOf = (pull: Pull) => ({
    iid: pull.number,
    state: pull.state === 'open' ? 'opened' : pull.state,
    sha: pull.head,
    target_branch: 'main',
    source_project_id: pull.isFork ? FORK : Number(PROJECT),
    merge_commit_sha: pull.mergeCommit ?? null,
    squash_commit_sha: pull.squashCommit ?? null,
    merged_at: pull.mergedAt?.toISOString() ?? null,
    updated_at: pull.updatedAt.toISOString()
  })

  const noteOf = ({ id, author, body }: Comment) => ({ id, body, author: { id: author.id } })

  const issueOf = (issue: StoredIssue) => ({
    ...{ id: issue.id, iid: issue.number, description: issue.body },
    author: { id: issue.author.id }
  })

  const request = (iid = '') => need(state.pull(Number(iid)))
  const issue = (iid = '') => need(state.issue(Number(iid)))

  const limited = (text: unknown): string => {
    if (typeof text === 'string' && text.length <= 1_000_000) return text
    throw new Reply(400, { message: { note: ['is too long (maximum is 1000000 characters)'] } })
  }

  const routes: Routes = {
    'GET /pipelines': ({ query }) =>
      state.runs
        .filter(run => [null, refOf(run)].includes(query.get('ref')))
        .reverse()
        .map(pipelineOf),
    'GET /pipelines/(\\d+)/jobs': ({ ids: [id], query }) => {
      const { jobs, isTag } = need(state.run(Number(id)))
      const isNewest = (job: Job) => jobs.findLast(each => each.name === job.name) === job
      const all = query.get('include_retried') === 'true'
      return jobs
        .filter(job => all || isNewest(job))
        .reverse()
        .map(job => jobOf(job, isTag))
    },
    'GET /jobs/(\\d+)/artifacts': ({ ids: [id] }) => {
      const jobs = state.runs.flatMap(run => run.jobs)
      const [artifact] = need(jobs.find(job => job.id === Number(id))).artifacts
      const stored = need(artifact && !artifact.isExpired ? artifact : undefined)
      // Object storage, as on gitlab.com.
      return new Reply(302, undefined, { location: `${storage}/${stored.id}?sig=signed` })
    },

    'GET /repository/commits/(\\w+)': ({ ids: [sha = ''] }) => ({
      parent_ids: repository.parents(sha)
    }),
    'GET /merge_requests': ({ query }) =>
      state.pulls
        .filter(({ state }) => state === query.get('state'))
        .sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
        .map(requestOf),
    'GET /merge_requests/(\\d+)/commits': ({ ids: [iid] }) =>
      [...request(iid).own].reverse().map(sha => ({
        title: repository.message(sha).split('\n')[0],
        authored_date: new Date(repository.authored(sha) * 1000).toISOString()
      })),
    'GET /repository/branches/(.+)': ({ ids: [branch = ''] }) => ({
      commit: { id: repository.tip(branch) }
    }),
    'GET /merge_requests/(\\d+)/pipelines': ({ ids: [iid] }) =>
      state.runs
        .filter(run => run.pull === request(iid))
        .reverse()
        .map(pipelineOf),
    'GET /merge_requests/(\\d+)/notes': ({ ids: [iid] }) => request(iid).comments.map(noteOf),
    'POST /merge_requests/(\\d+)/notes': ({ ids: [iid], body, user }) => {
      const note = state.addComment(request(iid).comments, user, limited(body['body']))
      return new Reply(201, noteOf(note))
    },
    'PUT /merge_requests/(\\d+)/notes/(\\d+)': ({ ids: [iid, id], body, user }) => {
      const note = need(request(iid).comments.find(each => each.id === Number(id)))
      if (note.author.id !== user.id) return new Reply(403, { message: '403 Forbidden' })
      return noteOf(Object.assign(note, { body: limited(body['body']) }))
    },

    'GET /issues': ({ query }) =>
      state.issues
        .filter(each => each.state === 'open' || query.get('state') !== 'opened')
        .reverse()
        .map(issueOf),
    'POST /issues': ({ body, user }) => {
      const texts = { title: String(body['title']), body: limited(body['description']) }
      const added = state.addIssue({ ...texts, author: user })
      return new Reply(201, issueOf(added))
    },
    'PUT /issues/(\\d+)': ({ ids: [iid], body }) => {
      const { description, state_event } = body
      const changed = issue(iid)
      if (description !== undefined) changed.body = limited(description)
      if (state_event === 'close') changed.state = 'closed'
      return issueOf(changed)
    }
  }
  const of = Object.entries(routes).map(([route, answer]) => [
    route.replace(' ', ` /projects/${PROJECT}`),
    answer
  ])
  return {
    ...Object.fromEntries(of),
    'GET /user': ({ user }) => ({ id: user.id })
  }
}

/** A pipeline of a merge request has its own reference: of the source branch, or of a merge with the target. */
function refOf({ branch, checkout, commit, pull }: Run): string {
  if (pull === undefined) return branch
  return `refs/merge-requests/${pull.number}/${checkout === commit ? 'head' : 'merge'}`
}
