import type { Site } from '../model/desired.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import { Fault, unbelievable } from './error.ts'
import { readRecords } from './live.ts'
import type { Answer } from './transport/answer.ts'
import type { Send } from './transport/send.ts'

/** A service that gives one WLAN a page would be asked for ever. */
const MOST_PAGES = 1000

/** The pages read so far. */
interface Gathered {
  readonly wlans: readonly LiveWlan[]
  /** How many WLANs the service says there are; the number at hand if it says nothing. */
  readonly total: number
  /** How many it gives at once. */
  readonly limit: number
}

/** Asks for the WLANs of a site, and looks at nothing yet: the first half of `listWlans`. */
export function askForList(send: Send, { id }: Site): Promise<Answer> {
  return send(listOf(id), answer => answer)
}

/**
 * Lists the WLANs of a site, all of them. The first request says nothing of pages; where the answer
 * names more than it holds, the others follow. In the end the count is right and no id occurs
 * twice, or it rejects. What was `asked` before is not asked again, unless it is not to be believed.
 */
export async function listWlans(send: Send, { id, name }: Site, asked?: Answer): Promise<LiveSite> {
  const site: Site = { id, name }
  const operation = listOf(id)
  const first = (answer: Answer) => gather(undefined, answer, site)
  let list = (asked && believed(asked, first)) ?? (await send(operation, first))
  for (let number = 2; list.wlans.length < list.total; number += 1) {
    const sofar = list
    const page = { number, limit: sofar.limit }
    list = await send({ ...operation, page }, answer => gather(sofar, answer, site))
  }
  return { site, wlans: list.wlans }
}

function listOf(siteId: string) {
  return { name: 'list WLANs', siteId } as const
}

/** What an answer says; undefined if it is not to be believed. */
function believed<T>(answer: Answer, decode: (answer: Answer) => T): T | undefined {
  try {
    return decode(answer)
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined
    throw thrown
  }
}

/** Adds a page to those before it, or throws if they do not add up. */
function gather(before: Gathered | undefined, answer: Answer, site: Site): Gathered {
  const page = readRecords(answer, site)
  const wlans = before === undefined ? page : [...before.wlans, ...page]
  const total = countIn(answer, 'x-page-total') ?? before?.total ?? wlans.length
  const limit = before?.limit ?? countIn(answer, 'x-page-limit') ?? 0
  if (before !== undefined && before.total !== total) {
    throw unbelievable('the number of WLANs changed while they were listed')
  }
  if (new Set(wlans.map(wlan => wlan.id.toLowerCase())).size < wlans.length) {
    throw unbelievable('one WLAN is listed twice')
  }
  if (wlans.length > total) throw unbelievable(`${wlans.length} WLANs where ${total} are counted`)
  if (wlans.length < total) checkProgress(page.length, limit, total)
  return { wlans, total, limit }
}

/** There are more WLANs: will asking for them ever end? */
function checkProgress(got: number, limit: number, total: number): void {
  if (got === 0 || limit === 0) throw unbelievable(`an incomplete list of ${total} WLANs`)
  if (total > limit * MOST_PAGES) throw unbelievable(`more than ${MOST_PAGES} pages`)
}

/** A count from a header; undefined if it is absent. */
function countIn(answer: Answer, name: string): number | undefined {
  const text = answer.header(name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw unbelievable(`no number in the header ${name}`)
  return Number(text)
}
