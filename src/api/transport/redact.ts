/** A shorter secret gives itself away by the gap it leaves: the whole text is withheld. */
const SHORTEST = 4

/**
 * Makes the function that takes these secrets out of a text of the service, which may repeat what
 * it was sent: as it is, or escaped as JSON, HTML or URL, in any case. An empty string is no secret.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter(secret => secret !== '')
  const short = known.filter(secret => secret.length < SHORTEST)
  const long = known.filter(secret => secret.length >= SHORTEST).flatMap(spellings)
  const withheld = matcher(short.flatMap(spellings))
  const masked = matcher(long)
  return text => {
    if (withheld !== undefined && text.search(withheld) >= 0) return '(withheld: it holds a secret)'
    return masked === undefined ? text : text.replace(masked, '(secret)')
  }
}

/** Matches any of the texts, the longest first, so that one within another leaves no rest. */
function matcher(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined
  const longestFirst = [...new Set(texts)].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map(asPattern).join('|'), 'gi')
}

function asPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function spellings(secret: string): string[] {
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd'))
  ]
}
