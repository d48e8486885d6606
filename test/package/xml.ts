/** An element of an XML document. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** Its own text, without its children. */
  readonly text: string
}

interface Open {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly children: Element[]
  text: string
}

/** A character that XML 1.0 allows (its production 2). */
const ALLOWED = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u
const TOKEN = /<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'"
}

/**
 * Parses the part of XML 1.0 that reports use: elements, attributes in double quotes, text and the five
 * entities. Throws if the document is not well-formed.
 */
export function parseXml(document: string): Element {
  if (!ALLOWED.test(document)) throw new Error('a character that XML does not allow')
  const [declaration = ''] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(document) ?? []
  if (declaration === '') throw new Error('no declaration')
  const root: Open = { name: '', attributes: {}, children: [], text: '' }
  const open: Open[] = [root]
  TOKEN.lastIndex = declaration.length
  while (TOKEN.lastIndex < document.length) {
    const at = TOKEN.lastIndex
    const token = TOKEN.exec(document)
    if (token === null) throw new Error(`nothing that is XML: ${document.slice(at, at + 60)}`)
    take(token, open)
  }
  const [only, ...others] = root.children
  if (open.length !== 1 || only === undefined || others.length > 0 || root.text.trim() !== '') {
    throw new Error('not one element that is closed')
  }
  return only
}

function take([, closing, opening, attributes = '', single, text]: RegExpExecArray, open: Open[]) {
  const top = open.at(-1)
  if (top === undefined) throw new Error('closed too often')
  if (text !== undefined) {
    if (text.includes(']]>')) throw new Error('the end of a section that was not begun')
    top.text += decoded(text)
  } else if (closing !== undefined) {
    if (closing !== top.name) throw new Error(`</${closing}> ends <${top.name}>`)
    open.pop()
  } else {
    const element = {
      name: opening ?? '',
      attributes: attributesIn(attributes),
      children: [],
      text: ''
    }
    top.children.push(element)
    if (single === '') open.push(element)
  }
}

function attributesIn(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, decoded(value)] as const
  )
  if (new Set(pairs.map(([name]) => name)).size < pairs.length)
    throw new Error('an attribute twice')
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  return text.replace(/&(\w*)(;?)/g, (found, name, end) => {
    const character = ENTITIES[name]
    if (character === undefined || end === '') throw new Error(`no entity: ${found}`)
    return character
  })
}
