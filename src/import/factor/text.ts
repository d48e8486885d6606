import type { Site } from '../../model/desired.ts'
import type { ValueObject } from '../../model/value.ts'
import { textScalar } from '../../yaml-edit/scalar.ts'
import { inline, memberLines } from '../../yaml-edit/write.ts'
import { fileText, wlansBlocks } from '../text.ts'

/** Columns of a list of sites: the more of a site stands on its line, the more it is like a table. */
const WIDTH = 120

/** A site of a file, and its variables. */
export interface DeclaredSite extends Site {
  readonly vars: ValueObject
}

type Blocks = readonly (readonly [key: string, ValueObject])[]

export function profilesText(profiles: Blocks): string {
  const blocks = profiles.map(([name, body], place) => [
    ...(place === 0 ? ['profiles:'] : []),
    ...memberLines(name, body, 2)
  ])
  return fileText(blocks)
}

/** A file of sites that share these WLANs. */
export function sitesText(wlans: Blocks, sites: readonly DeclaredSite[]): string {
  return fileText([...wlansBlocks(wlans), ['sites:', ...sites.flatMap(siteItem)]])
}

/** A file of one site with WLANs of its own. */
export function ownText({ id, name, vars }: DeclaredSite, wlans: Blocks): string {
  const site = ['site:', ...memberLines('id', id, 2), ...memberLines('name', name, 2)]
  const variables = tokensOf(vars)
  if (variables.length > 0) site.push(...filled('  vars: { ', variables, ' }'))
  return fileText([site, ...wlansBlocks(wlans)])
}

/** A site on one line, or its variables on lines of their own. */
function siteItem({ id, name, vars }: DeclaredSite): string[] {
  const head = `  - { id: ${id}, name: ${textScalar(name)}`
  const variables = tokensOf(vars)
  if (variables.length === 0) return [`${head} }`]
  const line = `${head}, vars: { ${variables.join(', ')} } }`
  if (line.length <= WIDTH) return [line]
  return [`${head},`, ...filled('      vars: { ', variables, ' } }')]
}

/** Short values first; a reference has a line of its own. */
function tokensOf(vars: ValueObject): string[] {
  const tokens = Object.entries(vars).map(
    ([name, value]) => `${textScalar(name)}: ${inline(value)}`
  )
  return [...tokens.filter(token => !isLong(token)), ...tokens.filter(isLong)]
}

function isLong(token: string): boolean {
  return token.includes(': { ')
}

/** As many of the tokens on a line as it takes. */
function filled(head: string, tokens: readonly string[], tail: string): string[] {
  const lines: string[] = []
  const indent = ' '.repeat(head.search(/\S/) + 2)
  let line = ''
  for (const [place, token] of tokens.entries()) {
    const next = place === tokens.length - 1 ? token + tail : `${token},`
    if (line === '') line = head + next
    else if (isLong(token) || `${line} ${next}`.length > WIDTH) {
      lines.push(line)
      line = indent + next
    } else line += ` ${next}`
  }
  return [...lines, line]
}
