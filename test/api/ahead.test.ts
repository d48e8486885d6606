import { expect, it } from 'vitest'
import { json } from '../support/server.ts'
import { apiError, clients, nth, SITE, scripted } from './support.ts'

const sites = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: nth(at), name: `site-${at}` }))

/** A service whose sites have this many WLANs each. */
async function service(wlans = 1) {
  const list = Array.from({ length: wlans }, (_, at) => ({ id: nth(1000 + at), ssid: 'A' }))
  const server = await scripted(json(list))
  const paths = () => server.arrivals.map(({ path }) => path.split('/')[4])
  return { server, paths, reader: clients(server.url).reader }
}

it('a list that was begun is not asked for again, whatever the case of the id', async () => {
  const { reader, paths } = await service()
  reader.listAhead({ id: SITE.id.toUpperCase(), name: 'not known yet' })
  reader.listAhead(SITE)
  expect(await reader.listWlans(SITE)).toMatchObject({ site: SITE, wlans: [{ ssid: 'A' }] })
  expect(paths()).toEqual([SITE.id.toUpperCase()])
  await reader.listWlans(SITE)
  expect(paths()).toHaveLength(2)
})

it('so many lists wait, and no more; room that gets free is used', async () => {
  const { reader, paths } = await service()
  const many = sites(300)
  for (const site of many) reader.listAhead(site)
  await Promise.all(many.slice(0, 10).map(site => reader.listWlans(site)))
  for (const site of many.slice(10)) reader.listAhead(site)
  await Promise.all(many.slice(10, 266).map(site => reader.listWlans(site)))
  expect(paths()).toHaveLength(266)
})

it('so many WLANs wait, and no more', async () => {
  const { reader, paths } = await service(500)
  const many = sites(20)
  for (const site of many.slice(0, 10)) reader.listAhead(site)
  await reader.listWlans(many[9] ?? SITE)
  for (const site of many.slice(10)) reader.listAhead(site)
  await reader.listWlans(many[0] ?? SITE)
  expect(paths()).toHaveLength(10)
})

it('who asks for a list that failed is told why; if nobody does, nobody minds', async () => {
  const server = await scripted((_arrival, response) => response.writeHead(403).end())
  const { reader } = clients(server.url)
  const [asked = SITE, other = SITE] = sites(2)
  reader.listAhead(asked)
  reader.listAhead(other)
  expect((await apiError(reader.listWlans(asked))).problem).toMatchObject({ status: 403 })
  await expect.poll(() => server.arrivals.length).toBe(2)
})
