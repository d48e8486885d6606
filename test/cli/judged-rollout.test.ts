import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { MetricsQuestion } from '../../src/run/pacing.ts'
import { stage } from '../support/stage.ts'

const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const names = Array.from({ length: 12 }, (_, n) => `${'abc'[Math.floor(n / 4)]}${n}`)

/** What each site of a role counts, at the phase of the question; the sites differ by a few. */
type Counts = Readonly<Record<'before' | 'after', Readonly<Record<'changed' | 'waiting', number>>>>

const EVENING: Counts = {
  before: { changed: 100, waiting: 100 },
  after: { changed: 69, waiting: 69 }
}
const LOSS: Counts = { ...EVENING, after: { changed: 20, waiting: 69 } }
const UNSURE: Counts = { ...EVENING, after: { changed: 57, waiting: 69 } }

/** A command that answers the counts in `counts.json`, and keeps the questions and its environment. */
const METRICS = `
  import { appendFileSync, readFileSync } from 'node:fs'
  let text = ''
  for await (const part of process.stdin) text += part
  const question = JSON.parse(text)
  appendFileSync('asked.jsonl', text)
  appendFileSync('asked.env', JSON.stringify(process.env))
  const counts = JSON.parse(readFileSync('counts.json', 'utf8'))
  const sites = question.sites.map(({ id, role }, n) =>
    ({ id, clients: counts[question.phase][role] + (n * 5) % 7 - 3 }))
  console.log(JSON.stringify({ sites }))
`

const JUDGE = 'judge: { metrics: { clients: { by: 20% } }, after: 0 }'

/** Twelve sites with one change each, in three waves; `settings` of the rollout. */
async function rollout(settings: string, counts: Counts = EVENING) {
  const made = await stage({
    sites: names.map((name, n) => ({
      id: idOf(1, n),
      name,
      wlans: [{ id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_enabled: true, vlan_id: 10 }]
    }))
  })
  const fleet = (more: string, of: readonly string[] = names) => {
    const sites = of.map(name => `  - { id: ${idOf(1, names.indexOf(name))}, name: ${name} }\n`)
    made.write(
      'fleet/hq.yaml',
      `sites:\n${sites.join('')}wlans: { guest: { ssid: Guest, vlan_id: 11 } }
policy:
  timezone: Europe/Berlin
  max_change_percent: 100
  lint: { level: off }
  rollout: { waves: [{ first: a* }, { next: b* }], ${more} }\n`
    )
  }
  fleet(settings)
  const answer = (given: Counts) => made.write('counts.json', JSON.stringify(given))
  answer(counts)
  made.write('metrics.mjs', METRICS)
  made.write('metrics.sh', `#!/bin/sh\nexec '${process.execPath}' metrics.mjs\n`, 0o755)
  return {
    ...made,
    fleet,
    answer,
    /** The number of sites with the new value, by wave. */
    changed: () =>
      [0, 4, 8].map(
        from =>
          names
            .slice(from, from + 4)
            .filter(
              (_, n) =>
                made.simulator.record(idOf(1, from + n), idOf(2, from + n))?.['vlan_id'] === 11
            ).length
      ),
    asked: (): MetricsQuestion[] =>
      existsSync(join(made.cwd, 'asked.jsonl'))
        ? made
            .read('asked.jsonl')
            .trim()
            .split('\n')
            .map(line => JSON.parse(line))
        : []
  }
}

const APPLY = 'apply fleet --yes --format json --metrics-command ./metrics.sh'

function counted(stdout: string): Record<string, number> {
  const { summary } = JSON.parse(stdout)
  return Object.fromEntries(
    Object.entries(summary as Record<string, number>).filter(([, n]) => n > 0)
  )
}

const at = (time: string) => ({ now: () => new Date(time) })

describe('policy.rollout.judge', () => {
  it('goes on after an evening that all sites have, with each verdict in numbers', async () => {
    const { run, changed, asked, read } = await rollout(JUDGE)
    const { code, stdout } = await run(`${APPLY} --record record.jsonl`)
    expect({ code, changed: changed() }).toEqual({ code: 0, changed: [4, 4, 4] })
    await run('show record.jsonl --report html=out.html')
    const bars = read('out.html').matchAll(/<rect class="s ([a-z-]+)" y=/g)
    expect([...bars].map(([, state]) => state)).toEqual([
      'applied',
      'waiting',
      'applied',
      'waiting',
      'unknown'
    ])
    expect(read('out.html')).not.toContain('0 → 0')
    const { judgements } = JSON.parse(stdout)
    expect(judgements).toMatchObject([
      {
        wave: 'first',
        result: 'good',
        metrics: { clients: { changed: { sites: 4 }, waiting: { sites: 8 } } }
      },
      { wave: 'next', result: 'good' },
      {
        result: 'not_judged',
        metrics: { clients: { reason: 'there is no waiting site to compare with' } }
      }
    ])
    const questions = asked().map(({ phase, wave, sites }) => [
      phase,
      wave,
      sites.filter(({ role }) => role === 'changed').length,
      sites.length
    ])
    expect(questions).toEqual([
      ['before', 'first', 4, 12],
      ['after', 'first', 4, 12],
      ['before', 'next', 4, 8],
      ['after', 'next', 4, 8],
      ['before', null, 4, 4],
      ['after', null, 4, 4]
    ])
    expect(asked()[0]?.sites[0]).toEqual({
      id: idOf(1, 0),
      name: 'a0',
      role: 'changed',
      wlans: [idOf(2, 0)]
    })
  })

  it.each<[revert: string, changed: number[], counts: Record<string, number>]>([
    ['', [4, 0, 0], { applied: 4, skipped: 8 }],
    ['revert_on_failure: wave, ', [0, 0, 0], { reverted: 4, skipped: 8 }]
  ])('fails a wave that is worse: %s', async (revert, left, counts) => {
    const { run, changed, read } = await rollout(`${revert}${JUDGE}`, LOSS)
    const reports = ['markdown', 'html', 'github'].map(each => `--report ${each}=apply.${each}`)
    const line = `${APPLY} --record record.jsonl ${reports.join(' ')}`
    const { code, stdout, stderr } = await run(line)
    expect(stderr).not.toContain('run it again')
    for (const each of ['markdown', 'html', 'github']) {
      expect(read(`apply.${each}`)).toContain('at 4 changed sites')
    }
    expect({ code, changed: changed(), counts: counted(stdout) }).toEqual({
      code: 5,
      changed: left,
      counts
    })
    expect(JSON.parse(stdout).failed_wave).toMatch(
      /^wave first: clients: −8\d % at 4 changed sites, −3\d % at 8 others: worse \(9\d(\.\d)? % sure\)$/
    )
    const shown = await run('show record.jsonl --report html=out.html --report markdown=out.md')
    for (const text of [shown.stdout, read('out.md'), read('out.html')]) {
      expect(text).toContain('at 4 changed sites')
    }
    expect(read('out.html')).toMatch(
      /<svg role="img" aria-label="first: clients: −8\d % at 4 changed sites, −3\d % at 8 others: worse \(.*"/
    )
  })

  it('puts back all waves so far with `revert_on_failure: all`', async () => {
    const made = await rollout(`revert_on_failure: all, ${JUDGE}`)
    made.write(
      'metrics.mjs',
      METRICS.replace(
        'counts[question.phase]',
        "(question.wave === 'next' && question.phase === 'after' ? { changed: 5, waiting: 69 } : counts[question.phase])"
      ).replace('[role] +', '[role] +')
    )
    const { code, stdout } = await made.run(APPLY)
    expect({ code, changed: made.changed(), counts: counted(stdout) }).toEqual({
      code: 5,
      changed: [0, 0, 0],
      counts: { reverted: 8, skipped: 4 }
    })
  })

  it.each<[unknown: string, code: number, changed: number[]]>([
    ['hold', 0, [4, 0, 0]],
    ['continue', 0, [4, 4, 4]]
  ])('after a wave that cannot be judged, %s', async (unknown, code, left) => {
    const { run, changed } = await rollout(
      JUDGE.replace('after: 0', `after: 0, unknown: ${unknown}`),
      UNSURE
    )
    const ended = await run(APPLY)
    expect({ code: ended.code, changed: changed() }).toEqual({ code, changed: left })
    expect(ended.stdout).toContain('the difference may be chance')
  })

  it('only reports with `dry_run`', async () => {
    const { run, changed } = await rollout(
      JUDGE.replace('after: 0', 'after: 0, dry_run: true'),
      LOSS
    )
    const { code, stdout } = await run(APPLY)
    expect({ code, changed: changed() }).toEqual({ code: 0, changed: [4, 4, 4] })
    expect(JSON.parse(stdout).judgements[0]).toMatchObject({ result: 'worse', dry_run: true })
  })

  it.each<[what: string, script: string, problem: string]>([
    ['fails', 'exit 7', 'the metrics command ended with exit code 7'],
    ['hangs', 'sleep 60', 'the metrics command took longer than 1 s'],
    [
      'prints a secret',
      'echo planted-secret',
      'the metrics command answered without a list of sites'
    ],
    ['prints without end', 'yes planted-secret', 'the metrics command wrote more than 16 MiB'],
    [
      'answers of another site',
      `echo '{"sites":[{"id":"planted-secret"}]}'`,
      'with an id that it was not asked for: entry 1'
    ],
    [
      'answers twice of a site',
      `echo '{"sites":[{"id":"${idOf(1, 0)}"},{"id":"${idOf(1, 0)}"}]}'`,
      'twice for a site: entry 2'
    ],
    [
      'answers less than nothing',
      `echo '{"sites":[{"id":"${idOf(1, 0)}","clients":-1}]}'`,
      'below 0: entry 1'
    ],
    [
      'answers words',
      `echo '{"sites":[{"id":"${idOf(1, 0)}","clients":"planted-secret"}]}'`,
      'not a number'
    ],
    [
      'answers a number too large',
      `echo '{"sites":[{"id":"${idOf(1, 0)}","clients":1e999}]}'`,
      'not a number'
    ],
    ['knows no site', `echo '{"sites":[]}'`, 'none of 4 changed sites answered twice']
  ])('holds the rest if the command %s', async (_what, script, problem) => {
    const made = await rollout(`check_timeout: 1, ${JUDGE}`)
    made.write('metrics.sh', `#!/bin/sh\ncat > /dev/null\n${script}\n`, 0o755)
    const { code, stdout, stderr } = await made.run(`${APPLY} --record record.jsonl`)
    expect({ code, changed: made.changed() }).toEqual({ code: 0, changed: [4, 0, 0] })
    expect(stdout).toContain(problem)
    expect(stdout + stderr + made.read('record.jsonl')).not.toContain('planted-secret')
  })

  it('holds the rest without a command, and says so', async () => {
    const { run, changed } = await rollout(JUDGE)
    const { code, stdout } = await run('apply fleet --yes')
    expect({ code, changed: changed() }).toEqual({ code: 0, changed: [4, 0, 0] })
    expect(stdout).toContain('not judged: there is no --metrics-command')
  })

  it('gives the command no token and no secret', async () => {
    const { run, read, env } = await rollout(JUDGE)
    const more = {
      WLAN_SECRET_OTHER: 'planted-other',
      CI_TOKEN: env['WLANCTL_API_TOKEN'] ?? '',
      KEPT: 'kept'
    }
    expect(await run(APPLY, more)).toMatchObject({ code: 0 })
    const seen = `${read('asked.env')}${read('asked.jsonl')}`
    expect(seen).toContain('kept')
    for (const secret of [env['WLANCTL_API_TOKEN'], env['WLAN_SECRET_GUEST'], 'planted-other']) {
      expect(seen).not.toContain(secret)
    }
  })
})

describe('plan --metrics-command', () => {
  const PLAN = 'plan fleet --metrics-command ./metrics.sh'

  it('shows the clients of now at the sites to change', async () => {
    const { run, asked, read } = await rollout('soak: 24h')
    const { stdout } = await run(`${PLAN} --out plan.json`)
    expect(stdout).toContain('1,200 clients now at 12 of 12 sites to change')
    expect(asked()).toHaveLength(1)
    expect(JSON.parse(read('plan.json')).clients_now.by_site).toMatchObject({ a0: 97, a1: 102 })
    expect((await run('show plan.json')).stdout).toContain('1,200 clients now')
  })

  it('says so if the command does not answer', async () => {
    const made = await rollout('soak: 24h')
    made.write('metrics.sh', '#!/bin/sh\necho planted-secret\n', 0o755)
    const { stdout, stderr } = await made.run(PLAN)
    expect(stdout).toContain(
      'Clients now: unknown, the metrics command answered without a list of sites'
    )
    expect(stdout + stderr).not.toContain('planted-secret')
  })
})

describe('policy.rollout.soak', () => {
  const SCHEDULED = 'apply fleet --yes --format json --scheduled record.jsonl --record record.jsonl'
  const T0 = '2026-11-24T10:00:00.000Z'

  it('defers the next wave, which goes on when it is due and not before', async () => {
    const { run, changed, methods } = await rollout('soak: 24h')
    const first = await run('apply fleet --yes --format json --record record.jsonl', {}, at(T0))
    expect({ code: first.code, changed: changed() }).toEqual({ code: 0, changed: [4, 0, 0] })
    expect(JSON.parse(first.stdout).outcomes[4]).toMatchObject({
      status: 'deferred',
      reason: 'the wave first soaks for 24 h; waits until 2026-11-25 10:00 UTC',
      until: '2026-11-25T10:00:00Z'
    })
    const sent = methods().length
    for (const time of ['2026-11-24T10:00:01Z', '2026-11-20T00:00:00Z', '2026-11-25T09:59:59Z']) {
      const early = await run(SCHEDULED, {}, at(time))
      expect({ code: early.code, counts: counted(early.stdout) }).toEqual({
        code: 0,
        counts: { deferred: 8 }
      })
    }
    expect(methods()).toHaveLength(sent)
    const second = await run(SCHEDULED, {}, at('2026-11-25T10:00:01Z'))
    expect({ code: second.code, changed: changed() }).toEqual({ code: 0, changed: [4, 4, 0] })
    const again = await run(SCHEDULED, {}, at('2026-11-25T10:00:02Z'))
    expect({ code: again.code, changed: changed() }).toEqual({ code: 0, changed: [4, 4, 0] })
    const last = await run(SCHEDULED, {}, at('2026-11-26T10:00:02Z'))
    expect({ code: last.code, changed: changed() }).toEqual({ code: 0, changed: [4, 4, 4] })
  })

  it('holds for an apply that is run again with the same record', async () => {
    const { run, changed } = await rollout('soak: 24h')
    const line = 'apply fleet --yes --format json --record record.jsonl'
    await run(line, {}, at(T0))
    const again = await run(line, {}, at('2026-11-24T11:00:00Z'))
    expect({ code: again.code, counts: counted(again.stdout), changed: changed() }).toEqual({
      code: 0,
      counts: { deferred: 8 },
      changed: [4, 0, 0]
    })
  })

  const AT = 'judge: { metrics: { clients: { by: 20% } }, after: 300, at: "10:00" }'
  const JUDGING = `${SCHEDULED} --metrics-command ./metrics.sh`

  it('changes at night, judges at ten, and asks for the last ten before', async () => {
    const { run, changed, asked } = await rollout(AT)
    const first = await run(`${APPLY} --record record.jsonl`, {}, at('2026-11-24T01:00:00Z'))
    expect({ code: first.code, changed: changed() }).toEqual({ code: 0, changed: [4, 0, 0] })
    expect(asked().map(({ phase, at: of }) => [phase, of])).toEqual([
      ['before', '2026-11-23T09:00:00Z']
    ])
    expect(JSON.parse(first.stdout).outcomes[4]).toMatchObject({ until: '2026-11-24T09:00:00Z' })
    await run(JUDGING, {}, at('2026-11-24T08:59:59Z'))
    expect({ changed: changed(), asked: asked().length }).toEqual({ changed: [4, 0, 0], asked: 1 })
    const second = await run(JUDGING, {}, at('2026-11-24T09:00:00Z'))
    expect({ code: second.code, changed: changed() }).toEqual({ code: 0, changed: [4, 4, 0] })
    expect(JSON.parse(second.stdout).judgements).toMatchObject([{ wave: 'first', result: 'good' }])
  })

  it.each<[revert: string, changed: number[], counts: Record<string, number>]>([
    ['', [4, 4, 0], { applied: 0, skipped: 4 }],
    ['revert_on_failure: wave, ', [4, 0, 0], { reverted: 4, skipped: 4 }],
    ['revert_on_failure: all, ', [0, 0, 0], { reverted: 8, skipped: 4 }]
  ])('puts back what earlier runs changed: %s', async (revert, left, { applied: _, ...counts }) => {
    const { run, changed, answer, methods } = await rollout(`${revert}${AT}`)
    await run(`${APPLY} --record record.jsonl`, {}, at('2026-11-24T01:00:00Z'))
    await run(JUDGING, {}, at('2026-11-24T09:00:00Z'))
    expect(changed()).toEqual([4, 4, 0])
    answer(LOSS)
    const judged = await run(JUDGING, {}, at('2026-11-25T09:00:00Z'))
    expect({ code: judged.code, changed: changed(), counts: counted(judged.stdout) }).toEqual({
      code: 5,
      changed: left,
      counts
    })
    expect(JSON.parse(judged.stdout).failed_wave).toMatch(/^wave next: clients: .*: worse/)
    const requests = methods().filter(method => method === 'PUT').length
    const after = await run(JUDGING, {}, at('2026-11-26T09:00:00Z'))
    expect({ code: after.code, changed: changed() }).toEqual({ code: 0, changed: left })
    expect(methods().filter(method => method === 'PUT')).toHaveLength(requests)
    expect(after.stdout).toContain('NOT_SCHEDULED')
  })

  it('lets no later apply overtake a wave that soaks or is not judged', async () => {
    const { run, changed, write, asked } = await rollout(AT)
    await run(`${APPLY} --record record.jsonl`, {}, at('2026-11-24T01:00:00Z'))
    const questions = asked().length
    const overtake = async (time: string) => {
      const { code, stdout } = await run(`${APPLY} --after record.jsonl`, {}, at(time))
      return { code, changed: changed(), why: JSON.parse(stdout || '{}').outcomes?.[0].reason }
    }
    const held = { code: 0, changed: [4, 0, 0] }
    expect(await overtake('2026-11-24T08:00:00Z')).toEqual({
      ...held,
      why: 'the wave first is not judged yet; waits until 2026-11-24 09:00 UTC'
    })
    expect(await overtake('2026-11-24T09:30:00Z')).toEqual({
      ...held,
      why: 'the wave first is not judged yet; a scheduled apply judges it'
    })
    expect(asked()).toHaveLength(questions)
    await run(JUDGING, {}, at('2026-11-24T09:30:00Z'))
    expect(changed()).toEqual([4, 4, 0])
    expect(await overtake('2026-11-24T09:40:00Z')).toMatchObject({ changed: [4, 4, 0] })
    write('record.jsonl', 'damaged')
    expect(await overtake('2026-11-26T09:30:00Z')).toMatchObject({ code: 3, changed: [4, 4, 0] })
  })

  it('judges again at the next ten after a wave that could not be judged', async () => {
    const { run, changed, answer } = await rollout(AT, UNSURE)
    await run(`${APPLY} --record record.jsonl`, {}, at('2026-11-24T01:00:00Z'))
    const held = await run(JUDGING, {}, at('2026-11-24T09:00:00Z'))
    expect({ code: held.code, changed: changed() }).toEqual({ code: 0, changed: [4, 0, 0] })
    expect(JSON.parse(held.stdout).outcomes[0]).toMatchObject({
      status: 'deferred',
      until: '2026-11-25T09:00:00Z'
    })
    answer(EVENING)
    await run(JUDGING, {}, at('2026-11-25T08:00:00Z'))
    expect(changed()).toEqual([4, 0, 0])
    await run(JUDGING, {}, at('2026-11-25T09:00:00Z'))
    expect(changed()).toEqual([4, 4, 0])
  })

  it('sends nothing more after a killed run', async () => {
    const { run, changed, read, write } = await rollout('soak: 1s')
    await run('apply fleet --yes --record record.jsonl', {}, at(T0))
    const lines = read('record.jsonl').trimEnd().split('\n')
    write('record.jsonl', `${lines.slice(0, -1).join('\n')}\n`)
    const { code, stdout } = await run(SCHEDULED, {}, at('2026-11-25T10:00:00Z'))
    expect({ code, changed: changed() }).toEqual({ code: 0, changed: [4, 0, 0] })
    expect(stdout).toContain('its record ends early')
  })

  it('sends nothing more after an interrupt during the judgement', async () => {
    const made = await rollout(JUDGE)
    made.write('metrics.sh', '#!/bin/sh\ncat > /dev/null\necho > started\nexec sleep 60\n', 0o755)
    const interrupt = new AbortController()
    const running = made.run(
      `${APPLY} --record record.jsonl`,
      {},
      { interrupted: interrupt.signal }
    )
    while (!existsSync(join(made.cwd, 'started')))
      await new Promise(resolve => setTimeout(resolve, 10))
    interrupt.abort()
    expect(await running).toMatchObject({ code: 130 })
    expect(made.changed()).toEqual([0, 0, 0])
    const again = await made.run(SCHEDULED)
    expect({ code: again.code, changed: made.changed() }).toEqual({ code: 0, changed: [0, 0, 0] })
  })

  it('leaves a site alone that left the fleet during the soak', async () => {
    const { run, changed, answer, fleet, asked } = await rollout(`revert_on_failure: wave, ${AT}`)
    await run(`${APPLY} --record record.jsonl`, {}, at('2026-11-24T01:00:00Z'))
    fleet(
      `revert_on_failure: wave, ${AT}`,
      names.filter(name => name !== 'a0' && name !== 'b4')
    )
    answer(LOSS)
    const { code, stdout } = await run(JUDGING, {}, at('2026-11-24T09:00:00Z'))
    expect({ code, changed: changed() }).toEqual({ code: 5, changed: [1, 0, 0] })
    expect(
      asked()
        .at(-1)
        ?.sites.map(({ name }) => name)
    ).not.toContain('a0')
    expect(JSON.parse(stdout).judgements[0].metrics.clients).toMatchObject({
      changed: { sites: 3, unanswered: 1 },
      waiting: { sites: 7, unanswered: 1 }
    })
    expect(JSON.parse(stdout).outcomes[0]).toMatchObject({
      address: 'a0/guest',
      status: 'applied',
      reason: expect.stringContaining('not put back: the fleet no longer has its site')
    })
  })

  it('does not say that a site left the fleet which the run does not cover', async () => {
    const { run, changed, answer, asked } = await rollout(`revert_on_failure: wave, ${AT}`)
    await run(`${APPLY} --record record.jsonl`, {}, at('2026-11-24T01:00:00Z'))
    answer(LOSS)
    const { code, stdout } = await run(`${JUDGING} --site b4`, {}, at('2026-11-24T09:00:00Z'))
    expect({ code, changed: changed() }).toEqual({ code: 5, changed: [4, 0, 0] })
    expect(
      asked()
        .at(-1)
        ?.sites.map(({ name }) => name)
    ).toEqual([...names].sort())
    expect(JSON.parse(stdout).outcomes[0]).toMatchObject({
      address: 'a0/guest',
      status: 'applied',
      reason: expect.stringContaining('not put back: this run does not cover its site')
    })
  })
})
