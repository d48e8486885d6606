import { dirname, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { anchorsOf, linksOf, textOf } from './markdown.ts'

/**
 * Questions of a newcomer, each with the links to click from the README (none: it is there), and words that its answer
 * holds.
 */
const questions: readonly (readonly [
  question: string,
  clicks: readonly string[],
  words: readonly string[]
])[] = [
  ['How do I try it without a network?', ['#try-it'], ['Without an account', 'npm run demo']],
  ['Can it delete a network?', ['#what-it-cannot-do'], ['Create or delete']],
  [
    'Does it work with the live service?',
    ['#what-it-cannot-do'],
    ['public API documentation', 'not against the live service']
  ],
  ['How do I take over my networks?', ['examples/README.md#import'], ['--org', '--secrets-out']],
  [
    'Which token, and where does it go?',
    ['.github/SECURITY.md#tokens'],
    ['Observer', 'Network Admin', 'WLANCTL_API_TOKEN', 'WLANCTL_TOKEN_FILE']
  ],
  ['How do I restrict a run to one site?', ['examples/README.md#select-sites'], ['--site']],
  ['How do I undo a change?', ['examples/commands.md#undo-a-change'], ['revert record.jsonl']],
  ['Who changed a network?', ['examples/commands.md#who-changed-it'], ['git blame', 'drift']],
  [
    'What does `stale` or "outage" mean?',
    ['schemas/README.md#words'],
    ['outage', 'partial outage', 'radio reset', 'blocked', 'deferred', 'stale']
  ],
  [
    'What does exit code 5 mean?',
    ['examples/commands.md#exit-codes'],
    ['| 5 | incomplete', 'run it again']
  ],
  [
    'What if two people change a network?',
    ['examples/README.md#how-wlanctl-decides'],
    ['`stale`', 'of two writers']
  ],
  [
    'What if a run is killed?',
    ['examples/README.md', '#how-wlanctl-decides'],
    ['Repeat a run that died']
  ],
  ['How do I rotate a key?', ['examples/rotation/README.md'], ['$version', '--base']],
  ['How do I add a site?', ['examples/day2/README.md#1-a-new-site'], ['wlanctl import']],
  ['How do I change one site first?', ['examples/rollout/README.md'], ['canary', 'policy.rollout']],
  [
    'How do I change at night only?',
    ['examples/README.md#windows-and-freezes'],
    ['windows:', 'deferred']
  ],
  ['How do I accept a finding?', ['examples/README.md#rules-and-waivers'], ['waivers:', 'until:']],
  [
    'Does a pull request see secrets?',
    ['.github/SECURITY.md#untrusted-pull-requests'],
    ['no output shows it a secret']
  ],
  [
    'What if CI refuses a large change?',
    ['examples/ci.md#by-hand'],
    ['max-changes=60', 'allow-downgrade']
  ],
  ['How do I stop everything?', ['examples/ci.md#stop'], ['WLANCTL_SUSPEND']],
  ['How do I set up CI?', ['examples/ci.md', '#set-up'], ['init', 'WLANCTL_SECRETS']],
  [
    'How long do thousands of sites take?',
    ['examples/kubernetes/README.md#requests'],
    ['one request for each site', '--max-wait']
  ],
  ['How do I uninstall it?', ['examples/commands.md', '#uninstall'], ['npm uninstall']]
]

it.each(questions)('%s: at most two clicks from the README', (_, clicks, words) => {
  expect(clicks.length).toBeLessThanOrEqual(2)
  let path = 'README.md'
  let section = textOf(path)
  for (const click of clicks) {
    // An anchor of the README is read without a click.
    if (click.startsWith('#') && path === 'README.md')
      expect(anchorsOf(section)).toContain(click.slice(1))
    else expect(linksOf(section)).toContain(click)
    const [file = '', anchor] = click.split('#')
    if (file !== '') path = normalize(`${dirname(path)}/${file}`)
    section = anchor === undefined ? textOf(path) : sectionOf(textOf(path), anchor)
  }
  const answer = section.replaceAll(/\s+/g, ' ')
  for (const word of words) expect(answer).toContain(word)
})

it('the README asks questions of this list', () => {
  const asked = [...textOf('README.md').matchAll(/^\| (.+\?) \|/gm)].map(([, each]) => each)
  expect(asked.length).toBeGreaterThanOrEqual(15)
  expect(questions.map(([question]) => question)).toEqual(expect.arrayContaining(asked))
})

/** The section of a heading, up to the next one of the same or a higher level. */
function sectionOf(text: string, anchor: string): string {
  const parts = text.split(/^(?=#{1,6} )/m)
  const start = parts.findIndex(part => anchorsOf(part)[0] === anchor)
  const level = (part: string) => part.indexOf(' ')
  const end = parts.findIndex((part, at) => at > start && level(part) <= level(parts[start] ?? ''))
  return parts.slice(start, end < 0 ? undefined : end).join('')
}
