import { need, Reply, type Routes } from './routes.ts'
import type { Comment, ForgeState, Pull, Run, StoredIssue } from './state.ts'

/** The repository of the tests, and its id. */
export const REPOSITORY = 'acme/wifi'
const REPOSITORY_ID = 42

/** The names of events. */
export const githubEvents: Readonly<Record<Run['event'], string>> = {
  push: 'push',
  pull_request: 'pull_request',
  schedule: 'schedule',
  manual: 'workflow_dispatch',
  merge_group: 'merge_group'
}

/** The part of GitHub's REST interface that wlanctl uses, as its OpenAPI description has it. */
export function githubRoutes(state: ForgeState, storage: string): Routes {
  const { repository } = state
  const web = `https://github.test/${REPOSITORY}`

  const runOf = (run: Run) => ({
    id: run.id,
    event: githubEvents[run.event],
    path: run.workflow,
    head_sha: run.commit,
    head_branch: run.branch,
    updated_at: (run.jobs.at(-1)?.endedAt ?? run.createdAt).toISOString(),
    repository: { id: REPOSITORY_ID },
    head_repository: { id: REPOSITORY_ID },
    html_url: `${web}/actions/runs/${run.id}`
  })

  const runs = (fits: (run: Run) => boolean) => {
    return { paged: 'workflow_runs', items: state.runs.filter(fits).reverse().map(runOf) }
  }

  const pullOf = (pull: Pull) => ({
    number: pull.number,
    state: pull.state === 'open' ? 'open' : 'closed',
    updated_at: pull.updatedAt.toISOString(),
    merged_at: pull.mergedAt?.toISOString() ?? null,
    merge_commit_sha: pull.commits.at(-1) ?? null,
    head: {
      sha: pull.head,
      repo: { full_name: pull.isFork ? 'stranger/wifi' : REPOSITORY }
    },
    base: { ref: 'main' }
  })

  const commentOf = ({ id, author, body }: Comment) => ({ id, user: author, body })

  const issueOf = (issue: StoredIssue) => ({
    ...{ id: issue.id, number: issue.number, body: issue.body, user: issue.author }
  })

  const commentsOf = (number: string): Comment[] => need(state.pull(Number(number))).comments

  const limited = (body: unknown): string => {
    if (typeof body === 'string' && body.length <= 65_536) return body
    throw new Reply(422, {
      message: 'Validation Failed',
      errors: [{ field: 'body', message: 'body is too long (maximum is 65536 characters)' }]
    })
  }

  const routes: Routes = {
    'GET /actions/runs': ({ query }) =>
      runs(run => [null, run.commit].includes(query.get('head_sha'))),
    'GET /actions/workflows/([^/]+)/runs': ({ ids: [file], query }) => {
      const branch = query.get('branch')
      const isKnown = state.runs.some(run => run.workflow.endsWith(`/${file}`))
      need(isKnown || undefined)
      return runs(run => run.workflow.endsWith(`/${file}`) && [null, run.branch].includes(branch))
    },
    'GET /actions/runs/(\\d+)/artifacts': ({ ids: [id] }) => {
      const run = need(state.run(Number(id)))
      const items = run.jobs
        .flatMap(job => job.artifacts)
        .map(({ id, name, archive, size, isExpired, createdAt }) => ({
          id,
          name,
          size_in_bytes: size ?? archive.length,
          expired: isExpired,
          created_at: createdAt.toISOString()
        }))
      return { paged: 'artifacts', items }
    },
    'GET /actions/artifacts/(\\d+)/zip': ({ ids: [id] }) => {
      const artifact = need(state.artifact(Number(id)))
      if (artifact.isExpired) return new Reply(410, { message: 'Artifact has expired' })
      return new Reply(302, undefined, { location: `${storage}/${id}?sig=signed` })
    },

    'GET /pulls': ({ query }) =>
      state.pulls
        .filter(({ state }) => (state === 'open') === (query.get('state') === 'open'))
        .sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
        .map(pullOf),
    'GET /pulls/(\\d+)/commits': ({ ids: [number] }) =>
      need(state.pull(Number(number))).own.map(sha => ({
        sha,
        parents: repository.parents(sha).map(parent => ({ sha: parent })),
        commit: {
          message: repository.message(sha),
          author: { date: new Date(repository.authored(sha) * 1000).toISOString() }
        }
      })),
    'GET /branches/(.+)': ({ ids: [branch = ''] }) => ({
      commit: { sha: repository.tip(branch) }
    }),

    'GET /issues': ({ query }) => {
      const isAsked = ({ state }: { readonly state: string }) =>
        query.get('state') === 'all' || state === (query.get('state') ?? 'open')
      const pulls = state.pulls.filter(isAsked).map(pull => ({
        ...pullOf(pull),
        pull_request: {}
      }))
      return [...state.issues.filter(isAsked).reverse().map(issueOf), ...pulls]
    },
    'POST /issues': ({ body, user }) => {
      const { title } = body
      const texts = { title: String(title), body: limited(body['body']) }
      const issue = state.addIssue({ ...texts, author: user })
      return new Reply(201, issueOf(issue))
    },
    'PATCH /issues/(\\d+)': ({ ids: [number], body }) =>
      issueOf(Object.assign(need(state.issue(Number(number))), body)),
    'GET /issues/(\\d+)/comments': ({ ids: [number = ''] }) => commentsOf(number).map(commentOf),
    'POST /issues/(\\d+)/comments': ({ ids: [number = ''], body, user }) => {
      const comment = state.addComment(commentsOf(number), user, limited(body['body']))
      return new Reply(201, commentOf(comment))
    },
    'PATCH /issues/comments/(\\d+)': ({ ids: [id], body, user }) => {
      const all = state.pulls.flatMap(({ comments }) => comments)
      const comment = need(all.find(each => each.id === Number(id)))
      if (comment.author.id !== user.id) return new Reply(403, { message: 'Forbidden' })
      return commentOf(Object.assign(comment, { body: limited(body['body']) }))
    }
  }
  const of = Object.entries(routes).map(([route, answer]) => [
    route.replace(' ', ` /repos/${REPOSITORY}`),
    answer
  ])
  return {
    ...Object.fromEntries(of),
    'POST /graphql': ({ user }) => ({ data: { viewer: { login: user.login } } })
  }
}
