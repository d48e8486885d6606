import { type Answer, fieldErrors, notFound, ok, refusal } from '../http/answers.ts'
import { bodyOf, type Call } from '../http/call.ts'
import { pageOf } from '../http/pages.ts'
import { memberOf } from '../json.ts'
import type { Switches } from '../switches.ts'
import { problemsOf } from './check.ts'
import { hidden } from './hide.ts'
import type { Store } from './store.ts'
import { updated } from './update.ts'

/** `GET /sites/<site>/wlans`: the records of a site, a page of them. */
export function listWlans(store: Store, site: string, call: Call, switches: Switches): Answer {
  const records = store.list(site)
  if (records === undefined) return notFound(site)
  const page = pageOf(records, call.query, switches.pageSize)
  if ('status' in page) return page
  const shown = page.items.map(record => hidden(record, switches.hiddenSecrets))
  return ok(shown, page.headers)
}

/** `GET /sites/<site>/wlans/<wlan>`: one record. */
export function readWlan(store: Store, site: string, wlan: string, switches: Switches): Answer {
  const record = store.read(site, wlan)
  if (record === undefined) return notFound(store.list(site) === undefined ? site : wlan)
  return ok(hidden(record, switches.hiddenSecrets))
}

/** `PUT /sites/<site>/wlans/<wlan>`: stores the fields of the body and answers the record. */
export function updateWlan(
  store: Store,
  site: string,
  wlan: string,
  call: Call,
  switches: Switches
): Answer {
  const before = store.stored(site, wlan)
  if (before === undefined) return notFound(store.list(site) === undefined ? site : wlan)
  const sent = bodyOf(call)
  if ('refused' in sent) return sent.refused
  if (isInherited(memberOf(before, 'template_id'))) {
    return refusal(400, 'The WLAN belongs to a template.')
  }
  const problems = problemsOf(sent.body)
  if (Object.keys(problems).length > 0) return fieldErrors(problems)
  const next = updated(before, sent.body, switches)
  const after = store.put(site, wlan, sent.body, next, switches.staleFor)
  if (switches.editBetween !== null) store.edit(site, wlan, switches.editBetween)
  return ok(hidden(after, switches.hiddenSecrets))
}

function isInherited(template: unknown): boolean {
  return typeof template === 'string' && template !== ''
}
