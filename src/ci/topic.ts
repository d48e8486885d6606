/** The first line of a comment or issue, which shows nothing and identifies it. */
const lineOf = (topic: string) => `<!-- wlanctl:${topic} -->\n`

/** The body of a comment or issue. Throws if it is longer than the forge accepts. */
export function withTopic(topic: string, text: string, maxBody: number): string {
  return checkLength(lineOf(topic) + text, maxBody)
}

/** The text of a body of this topic, without the topic; undefined if it has another one. */
export function textOf(body: string | null | undefined, topic: string): string | undefined {
  const line = lineOf(topic)
  // A forge may store lines with carriage returns.
  const text = body?.replaceAll('\r\n', '\n')
  return text?.startsWith(line) ? text.slice(line.length) : undefined
}

/** The body. Throws if it is longer than the forge accepts, in UTF-16 code units. */
export function checkLength(body: string, maxBody: number): string {
  if (body.length <= maxBody) return body
  throw new Error(`a body of ${body.length} characters, and the forge accepts ${maxBody}`)
}
