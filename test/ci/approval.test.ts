import { describe, expect, test } from 'vitest'
import {
  approvalOf,
  baseCandidates,
  isTrusted,
  laterCandidates,
  mergesIn,
  type Ours
} from '../../src/ci/approval.ts'
import type { Artifact, Deployment, PullRequest, Run } from '../../src/ci/forge.ts'

const ours: Ours = { kind: 'github', name: 'emea', defaultBranch: 'main' }

const at = (minute: number) => new Date(Date.UTC(2026, 10, 23, 12, minute))

function pull(more: Partial<PullRequest> = {}): PullRequest {
  return {
    ...{ number: 7, head: 'b1', branch: 'vlan' },
    ...{ isFork: false, mergeCommit: 'm7', merged: at(30) },
    ...more
  }
}

function run(more: Partial<Run> = {}): Run {
  return {
    ...{ id: '100', event: 'pull_request', workflow: '.github/workflows/plan.yml', commit: 'b1' },
    ...{ branch: 'vlan', isFork: false, url: 'https://forge.test/runs/100' },
    ...more
  }
}

function artifact(more: Partial<Artifact> = {}): Artifact {
  return {
    ...{ id: 'a1', name: 'wlanctl-plan-emea-1', run: '100', created: at(10), isExpired: false },
    size: 1000,
    ...more
  }
}

const plan = (of: Partial<Artifact> = {}, by: Partial<Run> = {}) => ({
  artifact: artifact(of),
  run: run(by)
})

describe('the plan that approves a merged pull request', () => {
  test.each([
    ['its only one', [plan()], {}, 'a1'],
    [
      'by a workflow of the fleet',
      [plan({}, { workflow: '.github/workflows/plan-emea.yml' })],
      {},
      'a1'
    ],
    ['the newest', [plan(), plan({ id: 'a2', created: at(20) })], {}, 'a2'],
    ['in any order', [plan({ id: 'a2', created: at(20) }), plan()], {}, 'a2'],
    [
      'the newest attempt',
      [plan(), plan({ id: 'a2', name: 'wlanctl-plan-emea-2', created: at(11) })],
      {},
      'a2'
    ],
    ['the last one before the merge', [plan(), plan({ id: 'a2', created: at(40) })], {}, 'a1'],
    ['none', [], {}, 'none'],
    ['none, of Dependabot', [], { branch: 'dependabot/npm' }, 'none'],
    ['none, of a fork', [], { isFork: true }, 'fork'],
    ['one made after the merge', [plan({ created: at(31) })], {}, 'late'],
    ['an expired one', [plan({ isExpired: true })], {}, 'expired'],
    [
      'an expired one, without its name on GitLab',
      [plan({ isExpired: true, name: '' })],
      {},
      'expired'
    ],
    [
      'an older one before an expired one',
      [plan(), plan({ created: at(20), isExpired: true })],
      {},
      'expired'
    ],
    ['of an earlier commit', [plan({}, { commit: 'b0' })], {}, 'none'],
    ['of another workflow', [plan({}, { workflow: '.github/workflows/evil.yml' })], {}, 'none'],
    [
      'of the workflow of another fleet',
      [plan({}, { workflow: '.github/workflows/plan-apac.yml' })],
      {},
      'none'
    ],
    ['of a push', [plan({}, { event: 'push' })], {}, 'none'],
    ['of a merge queue', [plan({}, { event: 'other' })], {}, 'none'],
    ['of a fork', [plan({}, { isFork: true })], { isFork: true }, 'fork'],
    ['of another fleet', [plan({ name: 'wlanctl-plan-apac-1' })], {}, 'none'],
    ['of a fleet whose name begins so', [plan({ name: 'wlanctl-plan-emea-2-1' })], {}, 'none'],
    ['of an open pull request', [plan()], { merged: undefined }, 'late']
  ] as const)('%s', (_, plans, more, expected) => {
    const { plan: found, reason } = approvalOf(pull(more), plans, ours)
    expect(found?.artifact.id ?? reason).toBe(expected)
  })

  test('on GitLab, all workflows are one file', () => {
    const found = approvalOf(pull(), [plan({}, { workflow: '.gitlab-ci.yml' })], {
      ...ours,
      kind: 'gitlab'
    })
    expect(found.plan?.artifact.id).toBe('a1')
  })
})

function deployment(more: Partial<Deployment> = {}): Deployment {
  return { id: 'd1', commit: 'c3', run: { id: '100', attempt: 1 }, ...more }
}

describe('a deployment is trusted', () => {
  const sender = { event: 'push', branch: 'main', workflow: '.github/workflows/apply.yml' } as const
  test.each([
    ['of our apply', {}, true],
    ['of our apply on a schedule', { event: 'schedule' }, true],
    ['started by hand', { event: 'manual', workflow: '.github/workflows/apply-emea.yml' }, true],
    ['of another branch', { branch: 'evil' }, false],
    ['of a tag', { branch: undefined }, false],
    ['of a pull request', { event: 'pull_request' }, false],
    ['of a fork', { isFork: true }, false],
    ['of another workflow', { workflow: '.github/workflows/evil.yml' }, false],
    ['of the workflow that plans', { workflow: '.github/workflows/plan.yml' }, false],
    ['that names another run', { id: '101' }, false]
  ] as const)('%s: %s', (_, more, expected) => {
    expect(isTrusted(deployment(), run({ ...sender, ...more }), ours)).toBe(expected)
  })

  test('not without its run', () => {
    expect(isTrusted(deployment(), undefined, ours)).toBe(false)
  })
})

/** First parents, the newest first: c5 is the commit to apply. */
const line = ['c5', 'c4', 'c3', 'c2', 'c1']

describe('the base of an apply', () => {
  test.each([
    ['no deployment', [], undefined],
    ['the nearest commit', [deployment(), deployment({ commit: 'c4' })], 'c4'],
    ['whatever came first', [deployment({ commit: 'c2' }), deployment({ commit: 'c3' })], 'c3'],
    ['not its own commit', [deployment({ commit: 'c5' }), deployment()], 'c3'],
    ['no commit of another line', [deployment({ commit: 'x' })], undefined]
  ] as const)('%s', (_, deployments, expected) => {
    expect(baseCandidates(line, deployments)[0]?.commit).toBe(expected)
  })
})

describe('the deployments that may be of later commits', () => {
  test.each([
    ['none of the line', [deployment(), deployment({ commit: 'c5' })], []],
    ['another commit', [deployment({ commit: 'c6' })], ['c6']],
    ['each commit once', [deployment({ commit: 'c6' }), deployment({ commit: 'c6' })], ['c6']],
    [
      'the newest after a force push',
      ['x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'].map(commit => deployment({ commit })),
      ['x1', 'x2', 'x3', 'x4', 'x5']
    ]
  ] as const)('%s', (_, deployments, expected) => {
    expect(laterCandidates(line, deployments).map(({ commit }) => commit)).toEqual(expected)
  })
})

describe('the merges of commits', () => {
  test.each([
    [
      'the newest first',
      ['c5', 'c4'],
      [pull({ number: 1, mergeCommit: 'c4' }), pull({ number: 2, mergeCommit: 'c5' })],
      [2, 1]
    ],
    ['each once', ['c5', 'c4'], [pull({ mergeCommit: 'c5' }), pull({ mergeCommit: 'c5' })], [7]],
    ['no merge of another commit', ['c5', 'c4'], [pull({ mergeCommit: 'c3' })], []],
    ['none that is open', ['c5'], [pull({ mergeCommit: undefined })], []]
  ] as const)('%s', (_, commits, pulls, expected) => {
    expect(mergesIn(commits, pulls).map(({ number }) => number)).toEqual(expected)
  })
})
