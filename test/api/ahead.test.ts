import { expect, it } from 'vitest'
import { json, type Script } from '../support/server.ts'
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
  const many = sites(600)
  for (const site of many) reader.listAhead(site)
  await Promise.all(many.slice(0, 10).map(site => reader.listWlans(site)))
  for (const site of many.slice(10)) reader.listAhead(site)
  await Promise.all(many.slice(10, 522).map(site => reader.listWlans(site)))
  expect(paths()).toHaveLength(522)
})

it('so much of them waits, and no more', async () => {
  const { reader, paths } = await service(20_000)
  const many = sites(20)
  for (const site of many.slice(0, 10)) reader.listAhead(site)
  await reader.listWlans(many[9] ?? SITE)
  for (const site of many.slice(10)) reader.listAhead(site)
  await reader.listWlans(many[0] ?? SITE)
  expect(paths()).toHaveLength(10)
})

it('what came ahead and is not to be believed is asked for again', async () => {
  const { reader, server, paths } = await service()
  const right = json([{ id: nth(1000), ssid: 'A' }])
  const wrong: Script = (_arrival, response) => {
    response.setHeader('content-type', 'application/json').end('[{')
    server.script(right)
  }
  server.script(wrong)
  reader.listAhead(SITE)
  expect(await reader.listWlans(SITE)).toMatchObject({ wlans: [{ ssid: 'A' }] })
  expect(paths()).toHaveLength(2)
})

it('the pages behind the first one follow when the list is asked for', async () => {
  const pages = [nth(1), nth(2)].map(id => [{ id, ssid: 'A' }])
  const server = await scripted(({ path }, response) => {
    const page = path.includes('page=2') ? pages[1] : pages[0]
    const headers = { 'x-page-total': '2', 'x-page-limit': '1', 'content-type': 'application/json' }
    response.writeHead(200, headers).end(JSON.stringify(page))
  })
  const { reader } = clients(server.url)
  reader.listAhead(SITE)
  expect((await reader.listWlans(SITE)).wlans.map(({ id }) => id)).toEqual([nth(1), nth(2)])
  expect(server.arrivals).toHaveLength(2)
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

it('counts lists as they are answered, whoever takes them, and each once', async () => {
  const { reader } = await service()
  for (const site of sites(3)) reader.listAhead(site)
  await expect.poll(() => reader.listed).toBe(3)
  await Promise.all(sites(5).map(site => reader.listWlans(site)))
  expect(reader.listed).toBe(5)
})
