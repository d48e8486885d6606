// Finds the merge requests that this commit merged since the last apply, and fetches the plan of the last commit of
// each, which its reviewers saw, to $APPROVAL/IID.json. Refuses a commit that is no longer the tip of the default
// branch, and with REQUIRE_PLAN=true a commit without an approving plan. With --scheduled it needs no plan, but a commit
// that was applied. Writes $APPROVAL/base, the last applied commit, and $RESULTS/merge-requests.json; the reason of a
// refusal goes to $RESULTS/outcome.md.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { artifact, get, list, main, plain, project } from './gitlab.mjs'

const { env } = process
const { CI_COMMIT_SHA: commit, CI_DEFAULT_BRANCH: branch, APPROVAL = '', RESULTS = '' } = env

/** Thrown if the plans do not approve the commit. */
class Refusal extends Error {}

function refuse(reason) {
  throw new Refusal(reason)
}

/** Writes the reason to the report of the job, which has no other. */
function explain(error) {
  const title =
    error instanceof Refusal ? 'Apply: refused, nothing was sent' : 'Apply: nothing was sent'
  writeFileSync(join(RESULTS, 'outcome.md'), `### 🔴 ${title}\n\n${plain(error.message)}\n`)
  throw new Error(`${title}: ${error.message}`)
}

function git(...argv) {
  return execFileSync('git', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

function isAncestor(candidate) {
  if (!/^[0-9a-f]*[1-9a-f][0-9a-f]*$/.test(candidate)) return false
  try {
    git('merge-base', '--is-ancestor', candidate, commit)
    return true
  } catch {
    return false
  }
}

/** The commits that were completely applied to the environment, the newest first. */
async function applied() {
  const query = `environment=${encodeURIComponent(env.CI_ENVIRONMENT_NAME)}&status=success&order_by=id&sort=desc`
  return (await list(`${project}/deployments?${query}`, 1)).map(({ sha }) => sha)
}

/** The distinct merge requests that these commits merged. */
async function mergedBy(commits) {
  const found = new Map()
  for (const sha of commits) {
    for (const request of await list(`${project}/repository/commits/${sha}/merge_requests`)) {
      const isMerge = [request.merge_commit_sha, request.squash_commit_sha, request.sha].includes(
        sha
      )
      const isHere = request.state === 'merged' && request.target_branch === branch
      if (isMerge && isHere) found.set(request.iid, request)
    }
  }
  return [...found.values()]
}

/** True if a pipeline belongs to this commit, or to its merge with the target branch. */
async function isOf(pipeline, sha) {
  if (pipeline.sha === sha) return true
  const { parent_ids } = await get(`${project}/repository/commits/${pipeline.sha}`)
  return parent_ids.includes(sha)
}

/** The newest plan of the last commit of a merge request. A plan of a merge train approves nothing, because reviewers do not see it. */
async function planOf({ iid, sha }) {
  for (const pipeline of await list(`${project}/merge_requests/${iid}/pipelines`, 1)) {
    const isOurs =
      String(pipeline.project_id) === env.CI_PROJECT_ID && !pipeline.ref.endsWith('/train')
    if (!isOurs || !(await isOf(pipeline, sha))) continue
    const jobs = await list(`${project}/pipelines/${pipeline.id}/jobs`)
    const job = jobs.find(({ name }) => name === 'plan')
    const plan = job && (await artifact(project, job.id, 'plan.json'))
    if (plan) return plan
  }
  return undefined
}

async function fetchPlans(requests) {
  const missing = []
  for (const request of requests) {
    const plan = await planOf(request)
    if (plan) writeFileSync(join(APPROVAL, `${request.iid}.json`), plan)
    else missing.push(`!${request.iid}`)
  }
  if (env.REQUIRE_PLAN !== 'true') return
  if (missing.length > 0) {
    refuse(`There is no plan of the last commit of ${missing.join(' ')}: it has expired, or the merge was before it was ready.
Run the pipeline of that merge request again, then this job.`)
  }
  if (requests.length === 0) {
    refuse(`${commit} came without a merge request, so no plan approves it.
Open a merge request with the change, or set REQUIRE_PLAN to "false".`)
  }
}

async function approve() {
  mkdirSync(APPROVAL, { recursive: true })
  const isScheduled = process.argv.includes('--scheduled')
  const earlier = await applied()
  const base = [...earlier.filter(sha => sha !== commit), env.CI_COMMIT_BEFORE_SHA ?? ''].find(
    isAncestor
  )
  writeFileSync(join(APPROVAL, 'base'), isScheduled ? '' : (base ?? ''))
  const commits = base
    ? git('rev-list', '--first-parent', '--max-count=100', `${base}..${commit}`).split('\n')
    : [commit]
  const requests = isScheduled ? [] : await mergedBy(commits)
  writeFileSync(
    join(RESULTS, 'merge-requests.json'),
    JSON.stringify(requests.map(({ iid }) => iid))
  )
  const tip = (await get(`${project}/repository/branches/${encodeURIComponent(branch)}`)).commit.id
  if (tip !== commit) {
    refuse(`${commit} is not the last commit of ${branch} any more: applying it would undo later merges.
The pipeline of ${tip} applies this change, too.`)
  }
  if (isScheduled && !earlier.includes(commit)) {
    refuse(`${commit} has not been applied yet, so no plan approves it.
Run its job "apply" first.`)
  }
  if (!isScheduled) await fetchPlans(requests)
}

await main(() => approve().catch(explain))
