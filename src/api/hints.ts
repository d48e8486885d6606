import type { Credentials } from './credentials.ts'
import type { HttpRequest } from './operation.ts'

/** What to do about a status, in one line. */
const hints: Readonly<Record<number, string>> = {
  400: 'the service rejects a value: correct the field that it names',
  401: 'the service does not accept the token: check WLANCTL_API_TOKEN or --token-file',
  403: 'the token has no right to this: use one with access to the site',
  404: 'the service knows no such site or WLAN, or does not show it to this token: check the id',
  409: 'the service reports a conflict, perhaps with another edit: plan again',
  429: 'the token is at its rate limit: run it later, use several tokens, or raise --max-wait'
}

/** Said of each status from 500 on. */
const TROUBLE = 'the service has a problem: run it again later'

/** Said of a 403 to an update: its WLAN was read before. */
const READ_ONLY = 'the token can read but not write: use a token with write access'

/** The same for those who are logged in with a browser. */
const sessionHints: Readonly<Record<number, string>> = {
  401: 'the session may have ended: log in again, and copy the cookie again',
  403: 'the session has no right to this, or the `csrftoken…` cookie is not of the same login'
}

/** What to do where the service answers this status. `caller` names one of several tokens. */
export function hintFor(
  status: number,
  { method }: Pick<HttpRequest, 'method'>,
  credentials: Credentials,
  caller?: string
): string | undefined {
  if (status >= 500) return TROUBLE
  if (!('tokens' in credentials) && status in sessionHints) return sessionHints[status]
  if (status !== 403) return hints[status]
  const isUpdate = method === 'PUT'
  if (caller === undefined) return isUpdate ? READ_ONLY : hints[403]
  const lacks = isUpdate ? 'can read but not write' : 'has no right to this'
  return `${caller} ${lacks}; all of them need the same rights`
}
