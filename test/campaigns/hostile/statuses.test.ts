import { expect, it } from 'vitest'
import { arena, isFirst } from './arena.ts'
import { reply } from './service.ts'
import { all } from './survive.ts'

const quick = '--format json --timeout 2 --max-attempts 2 --max-wait 2'

/** Error statuses, and invalid ones. */
const statuses = [
  '000',
  '001',
  '042',
  '099',
  '100',
  '101',
  '102',
  '103',
  '199',
  '202',
  '204',
  '205',
  '206',
  '226',
  '299',
  '300',
  '301',
  '304',
  '308',
  '399',
  '400',
  '401',
  '402',
  '403',
  '404',
  '405',
  '407',
  '408',
  '409',
  '410',
  '413',
  '418',
  '421',
  '425',
  '451',
  '499',
  '500',
  '501',
  '502',
  '504',
  '511',
  '599',
  '600',
  '700',
  '999',
  '1000',
  '99999',
  '2OO',
  '-200',
  '+200',
  '0x200',
  '2',
  '20',
  ''
]

const table = Object.fromEntries(statuses.map(status => [`"${status}"`, status]))

it('on the list of a site does not stop the other sites from being reported', async () => {
  await all(table, async status => {
    const { run } = await arena(request =>
      isFirst(request) ? reply(status, { detail: 'so it is' }) : undefined
    )
    const { stdout } = await run(`plan fleet ${quick}`, { codes: [5] })
    const { summary } = JSON.parse(stdout)
    // A rejected token ends the run.
    if (status === '401') expect(summary.sites).toBe(2)
    else expect(summary).toMatchObject({ sites: 2, sites_failed: 1, changed: 1 })
  })
})

it('on an update gives every change an outcome', async () => {
  await all(table, async status => {
    const { run, service } = await arena(request =>
      isFirst(request) && request.method === 'PUT'
        ? reply(status, { detail: 'so it is' })
        : undefined
    )
    const line = `apply fleet --yes ${quick} --verify-timeout 1 --parallelism 1`
    const { stdout } = await run(line, { codes: [5] })
    const summary: Record<string, number> = JSON.parse(stdout).summary
    expect(Object.values(summary).reduce((sum, count) => sum + count, 0)).toBe(2)
    if (status !== '401') expect(summary['applied']).toBe(1)
    expect(service.count('PUT')).toBeLessThanOrEqual(3)
  })
})

it('a status that changes with each response ends, too', async () => {
  let at = 0
  const { run } = await arena(request => {
    at += 1
    return isFirst(request) ? reply(statuses[at % statuses.length] ?? '') : undefined
  })
  await run(`plan fleet --format json --timeout 2`, { codes: [5] })
})
