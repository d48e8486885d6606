import { Failure, reasonOf } from '../core/model/failure.ts'
import { TransportError } from '../service/http/error.ts'
import { boundedFetch } from '../service/http/fetch.ts'
import type { Job } from './command.ts'

/** The format of a message: `auto` is that of Microsoft Teams for its addresses, else that of Slack. */
export const webhookForms = ['auto', 'slack', 'teams'] as const

export type WebhookForm = (typeof webhookForms)[number]

const ADDRESS = /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost)[:/])[^\s"\\]+$/
const TEAMS = /^https:\/\/[^/]*\.(?:office|azure|powerplatform|powerautomate)\.com[:/]/

/**
 * Posts a line with a link to this run to WLANCTL_WEBHOOK_URL, if there is one. Its address is a secret. A failure is only a
 * warning, because the run reports its result elsewhere, too.
 */
export async function postWebhook(job: Job, form: WebhookForm, news: string): Promise<void> {
  const { env, forge, ours, log } = job
  const url = env['WLANCTL_WEBHOOK_URL']
  if (!url) return
  if (!ADDRESS.test(url)) return log('WLANCTL_WEBHOOK_URL is not an https address')
  const line = news.replace(/\p{Cc}/gu, ' ').slice(0, 500)
  const text = `${ours.name}: ${line} ${forge.run.url}`
  const isTeams = form === 'teams' || (form === 'auto' && TEAMS.test(url))
  const body = JSON.stringify(isTeams ? teamsMessage(text) : slackMessage(text))
  const headers = { 'Content-Type': 'application/json' }
  try {
    const post = boundedFetch({ baseUrl: new URL(url).origin, env, timeout: 20 })
    const { ok, status } = await post(url, { method: 'POST', headers, body })
    if (!ok) await log(`the message could not be posted to WLANCTL_WEBHOOK_URL: status ${status}`)
  } catch (error) {
    if (!(error instanceof TransportError || error instanceof Failure)) throw error
    const reason = reasonOf(error).replaceAll(url, 'the address')
    await log(`the message could not be posted to WLANCTL_WEBHOOK_URL: ${reason}`)
  }
}

function slackMessage(text: string) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { text: escaped }
}

function teamsMessage(text: string) {
  const content = {
    ...{ type: 'AdaptiveCard', version: '1.4' },
    body: [{ type: 'TextBlock', text, wrap: true }]
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, content }] }
}
