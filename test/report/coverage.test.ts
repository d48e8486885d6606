import { expect, it } from 'vitest'
import type { Plan } from '../../src/core/model/plan.ts'
import { overviewOf } from '../../src/report/overview/overview-of.ts'
import { textOf } from '../../src/report/render/document.ts'
import { planOf } from './plans.ts'

const against = (created: string) => ({ against: { created, digest: `sha256:${'0'.repeat(64)}` } })

it.each<[part: Partial<Plan>, coverage: RegExp | undefined]>([
  [against('2026-11-20T10:00:00Z'), /^Planned against a snapshot 0 seconds old \(2026-11-20 10:00/],
  [against('2026-11-20T09:59:59Z'), /snapshot 1 second old/],
  [against('2026-11-20T09:01:00Z'), /snapshot 59 minutes old/],
  [against('2026-11-20T07:00:00Z'), /snapshot 3 hours old/],
  [against('2026-11-10T10:00:01Z'), /snapshot 9 days old/],
  [against('2026-11-21T10:00:00Z'), /snapshot 0 seconds old/],
  [{ shard: '3/8' }, /^Shard 3\/8 of the fleet$/],
  [{ at: '2026-11-22T10:00:00Z' }, /^Planned for 2026-11-22 10:00:00 UTC, not for now$/],
  [{ ignored_files: 2 }, /^2 YAML files ignored by \.wlanctlignore$/],
  [{}, undefined]
])('a plan of %j says what it covers', (part, coverage) => {
  const [sentence] = overviewOf({ kind: 'plan', plan: planOf([], part) }, {}).coverage
  if (coverage === undefined) expect(sentence).toBe(undefined)
  else expect(textOf(sentence ?? [])).toMatch(coverage)
})
