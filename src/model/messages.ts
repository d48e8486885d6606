import type { Finding, MessageTemplate } from './finding.ts'
import { plural } from './text.ts'

/** UTF-16 code units of a quoted text that are shown. */
const QUOTED = 200

/** Text from outside, in quotes and cut; what is in it is escaped when it is shown. */
const q = (text: string): string =>
  text.length <= QUOTED ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, QUOTED))}…`

/** What a limit of a file counts, with the limit. */
const amounts = {
  depth: (limit: number): string => `${limit} maps and lists within each other`,
  keys: (limit: number): string => `${limit} keys in one map`,
  nodes: (limit: number): string => `${limit} keys and values`,
  aliases: (limit: number): string => `${limit} keys and values, once its aliases are followed`,
  tokens: (limit: number): string => `${limit} words, comments and punctuation marks`
}

/** What a run may take of its files, and where that ends. */
const resources = {
  entries: (limit: number): string => `its folders hold more than ${limit} names`,
  files: (limit: number): string => `it has more than ${limit} files`,
  bytes: (limit: number): string => `its files hold more than ${limit / 1024 / 1024} MiB`,
  nodes: (limit: number): string => `its files hold more than ${limit} keys and values`,
  reading: (): string => 'its files take more work than a run may do',
  resolving: (): string =>
    'profiles, variables and lists of sites multiply what its files say too often'
}

/** What the parser's codes mean. */
const syntax: Readonly<Record<string, string>> = {
  ALIAS_PROPS: 'an alias has no anchor or tag of its own',
  BAD_ALIAS: 'an anchor or alias needs a name, and the name must not end in a colon',
  BAD_DQ_ESCAPE: 'there is no such escape in double quotes',
  BAD_INDENT: 'the indentation does not fit what is above',
  BAD_PROP_ORDER: 'an anchor stands before `-`, `?` or `:` instead of after it',
  BAD_SCALAR_START: 'a text cannot begin with this character; quote it',
  BLOCK_AS_IMPLICIT_KEY: 'a map or list begins in the middle of a line',
  BLOCK_IN_FLOW: 'between brackets, maps and lists need brackets too',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MISSING_CHAR: 'a quote, bracket, comma, colon or space is missing',
  MULTILINE_IMPLICIT_KEY: 'a key goes on to the next line, or its colon is missing',
  MULTIPLE_ANCHORS: 'a value has two anchors',
  TAB_AS_INDENT: 'a line is indented with a tab; use spaces'
}

/** JSON types in the words of a message. */
const types: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  object: 'a map',
  array: 'a list',
  null: '`null`'
}

/** What was probably meant by a value of the wrong type. */
function typeHint(allowed: readonly string[], found: unknown): string | undefined {
  const isPlain = typeof found === 'number' || typeof found === 'boolean'
  if (isPlain && allowed.includes('string')) return 'quote the value'
  if (typeof found !== 'string') return undefined
  if (allowed.includes('boolean')) {
    if (/^(?:yes|on|true|y)$/i.test(found)) return 'write `true`, without quotes'
    if (/^(?:no|off|false|n)$/i.test(found)) return 'write `false`, without quotes'
  }
  const isNumeric = allowed.includes('integer') || allowed.includes('number')
  return isNumeric && /^-?\d+(?:\.\d+)?$/.test(found) ? 'write it without quotes' : undefined
}

interface Bounds {
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

function within({ minimum, maximum }: Bounds): string {
  if (maximum === undefined) return `${minimum ?? 0} or more`
  return minimum === undefined ? `at most ${maximum}` : `${minimum} to ${maximum}`
}

/** Some WLANs by their addresses, the first three of them by name. */
function some(addresses: readonly string[]): string {
  const more = addresses.length > 3 ? ` and ${addresses.length - 3} more` : ''
  return `${plural(addresses.length, 'WLAN')}: ${addresses.slice(0, 3).join(', ')}${more}`
}

/** Which WLANs a finding is about that was made of several. */
export function concerning(addresses: readonly string[]): string {
  return `it does so for ${some(addresses)}`
}

/** Where a value comes from that does not stand here itself. */
function from(variable: string | undefined): string {
  return variable === undefined ? '' : ` (it comes from the variable ${q(variable)})`
}

/** Names in a row; of many only the first. */
const inShort = (names: readonly string[]): string =>
  names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

const percentOf = (part: number, whole: number): number => Math.round((100 * part) / whole)

/**
 * The words of every finding, by code: the one file to change when a wording should be better.
 * A message says what is wrong, a hint what to do; neither ever holds the value of a secret field.
 */
export const messages = {
  // plan: the declared against the live
  WLAN_NOT_FOUND: (
    by: 'id' | 'SSID',
    names: readonly string[],
    nearest?: string
  ): MessageTemplate => ({
    message: `no live WLAN has the ${by} ${names.map(q).join(' or ')}`,
    hint:
      nearest === undefined
        ? 'wlanctl creates no WLAN: create it first, or correct the declaration'
        : `did you mean ${q(nearest)}?`
  }),
  WLAN_AMBIGUOUS: (ssid: string, ids: readonly string[]): MessageTemplate => ({
    message: `${ids.length} live WLANs have the SSID ${q(ssid)}: ${ids.join(', ')}`,
    hint: 'say which one by its `id`'
  }),
  WLAN_CLAIMED_TWICE: (id: string, others: readonly string[]): MessageTemplate => ({
    message: `the live WLAN ${id} is also declared by ${others.join(', ')}`,
    hint: 'one live WLAN has one declaration: remove one, or give it the right `id`'
  }),
  WLAN_INHERITED: (template: string, fields: readonly string[]): MessageTemplate => ({
    message: `the WLAN comes from the template ${template} and cannot be updated on the site (${fields.join(', ')})`,
    hint: 'change the template, or declare what it gives'
  }),
  SECRET_HIDDEN: (pointer: string, field: string): MessageTemplate => ({
    message: `${q(field)} has to be sent whole, and the service does not show the secret ${pointer} in it`,
    hint: `declare ${pointer}, so that it is not lost`
  }),
  SECRET_LOST: (pointer: string, field: string): MessageTemplate => ({
    message: `${q(field)} has to be sent whole, and the secret ${pointer} would not be in it: what is new in a list has none`,
    hint: `declare ${pointer}, or \`""\` if there is none`
  }),
  SECRET_MASKED: (pointer: string): MessageTemplate => ({
    message: `what is declared for ${pointer} is a mask of asterisks, not the secret itself`,
    hint: 'put the secret where the reference points'
  }),
  DOWNGRADE: (fields: readonly string[]): MessageTemplate => ({
    level: 'warning',
    message: `less safe than what is live: ${fields.join(', ')}`,
    hint: '`apply` refuses it without `--allow-downgrade` or `policy.allow_downgrade`'
  }),
  DOWNGRADE_REFUSED: (wlans: readonly string[], others: number): MessageTemplate => ({
    message: `the plan is a security downgrade of ${wlans.join(', ')}${others === 0 ? '' : ` and ${plural(others, 'other WLAN')}`}`,
    hint: 'if that is meant, allow it with `--allow-downgrade`, or with `policy.allow_downgrade: true`'
  }),
  NUMBER_NOT_KEPT: (field: string): MessageTemplate => ({
    message: `${q(field)} has to be sent whole, and it holds a number too large to keep exactly`,
    hint: 'change this field in the service itself'
  }),
  UNMANAGED: (ssid: string, id: string): MessageTemplate => ({
    message: `the live WLAN ${q(ssid)} (${id}) is declared nowhere`,
    hint: 'declare it, or set `policy.unmanaged` to `report`'
  }),
  OVER_MAX_CHANGES: (
    changed: number,
    wlans: number,
    max: number,
    source: string
  ): MessageTemplate => ({
    message: `the plan changes ${changed} of ${plural(wlans, 'WLAN')} (${percentOf(changed, wlans)} %), and ${source} allows ${max}`,
    hint: `if all of them are meant, allow them with \`--max-changes ${changed}\``
  }),
  PROTECTED: (addresses: readonly string[], changes: number): MessageTemplate => ({
    message: `${addresses.length} of ${plural(changes, 'change')} would touch a protected WLAN: ${inShort(addresses)}`,
    hint: 'to change it on purpose, remove its `$protect` in the same pull request'
  }),
  OVER_MAX_IMPACT: (over: number, wlans: number, worst: string, most: string): MessageTemplate => ({
    message: `${over} of ${plural(wlans, 'WLAN')} (${percentOf(over, wlans)} %) would see ${worst === 'outage' ? 'an outage' : 'a reconnect'}, and --max-impact allows ${most}`,
    hint: `if that is meant, allow it with \`--max-impact ${worst}\``
  }),
  OVER_MAX_PERCENT: (changed: number, wlans: number, max: number): MessageTemplate => ({
    message: `the plan changes ${changed} of ${wlans} live WLANs (${percentOf(changed, wlans)} %), and policy.max_change_percent allows ${max} %`,
    hint: `if all of them are meant, allow them with \`--max-changes ${changed}\``
  }),
  CHANGED_SINCE: (fields: readonly string[]): MessageTemplate => ({
    message: `somebody changed this since it was applied: ${fields.join(', ')}`,
    hint: 'look at it first; `--force` puts back what was there before, all the same'
  }),
  SECRET_NOT_RESTORED: (pointers: readonly string[]): MessageTemplate => ({
    level: 'warning',
    message: `a record holds no secrets, so these stay as they are: ${pointers.join(', ')}`,
    hint: 'if an old one has to come back, declare it and `apply`'
  }),
  SIDE_EFFECT_STAYS: (pointers: readonly string[]): MessageTemplate => ({
    level: 'warning',
    message: `these moved with what was applied, and are not put back: ${pointers.join(', ')}`,
    hint: 'a record does not hold what nobody declared; look at them after the revert'
  }),
  PLAN_CLAIMS: (what: readonly string[]): MessageTemplate => ({
    level: 'warning',
    message: `the file is wrong about its own ${what.join(', ')}: this is derived from its operations`,
    hint: 'plan again if you do not know who edited it'
  }),
  SITE_NOT_READ: (reason: string, hint?: string): MessageTemplate => ({
    message: `the site could not be read: ${reason}`,
    ...(hint === undefined ? {} : { hint })
  }),

  // import: what of the live state no file can hold as it is
  IMPORT_INHERITED: (ssid: string, id: string): MessageTemplate => ({
    level: 'warning',
    message: `the live WLAN ${q(ssid)} (${id}) comes from a template, and is not declared`,
    hint: 'a site cannot update it: change the template'
  }),
  IMPORT_SSID_UNFIT: (problem: string): MessageTemplate => ({
    level: 'warning',
    message: `the SSID is not declared: ${problem}`,
    hint: 'the WLAN is known by its `id`; give it a better name in the service'
  }),
  IMPORT_UNFIT: (pointers: readonly string[]): MessageTemplate => ({
    level: 'warning',
    message: `${plural(pointers.length, 'value')} cannot be declared: ${pointers.join(', ')}`,
    hint: 'the service has what the schema of a WLAN does not allow; it stays as it is'
  }),
  IMPORT_UNKNOWN: (fields: readonly string[]): MessageTemplate => ({
    level: 'warning',
    message: `${plural(fields.length, 'field')} not known to wlanctl ${fields.length === 1 ? 'is' : 'are'} not declared: ${fields.join(', ')}`,
    hint: 'the service is newer than this version; these fields stay as they are'
  }),
  IMPORT_TOO_LARGE: (): MessageTemplate => ({
    level: 'warning',
    message: 'the WLAN has more values than a file may declare, and is left out'
  }),
  IMPORT_NOT_FACTORED: (reason: string): MessageTemplate => ({
    level: 'warning',
    message: `there are no layers, but a file for each site: ${reason}`
  }),
  IMPORT_SECRET_HIDDEN: (hidden: number, secrets: number): MessageTemplate => ({
    level: 'warning',
    message: `the service does not show ${hidden} of ${plural(secrets, 'secret')}`,
    hint: 'set these variables yourself; until then the fields are not compared, and `apply` refuses'
  }),

  // config: the files and their YAML; none of these quotes the source, which may hold a secret
  FILE_UNREADABLE: (reason: string): MessageTemplate => ({
    message: `the file cannot be read: ${reason}`
  }),
  FILE_NOT_REGULAR: (): MessageTemplate => ({
    message: 'this is no regular file',
    hint: 'a fleet is made of plain files; rename it, or move it away'
  }),
  FILE_TOO_LARGE: (limit: number): MessageTemplate => ({
    message: `the file is larger than ${limit / 1024 / 1024} MiB`,
    hint: 'split it'
  }),
  FILE_NOT_UTF8: (): MessageTemplate => ({
    message: 'here is a byte that is not UTF-8',
    hint: 'save the file as UTF-8'
  }),
  FILE_EMPTY: (): MessageTemplate => ({ level: 'warning', message: 'the file says nothing' }),
  LINK_LEADS_OUT: (): MessageTemplate => ({
    message: 'this link leads out of the fleet, or nowhere',
    hint: 'a fleet reads nothing outside its directory: copy the file into it'
  }),
  CONTROL_CHARACTER: (code: number): MessageTemplate => ({
    message: `here is the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
    hint: 'remove it; inside double quotes it may be written as an escape'
  }),
  YAML_SYNTAX: (code: string): MessageTemplate => ({
    message: `this is not valid YAML: ${syntax[code] ?? 'something here is out of place'}`
  }),
  YAML_TOO_LARGE: (what: keyof typeof amounts, limit: number): MessageTemplate => ({
    message: `the file holds more than ${amounts[what](limit)}`,
    hint: 'split it'
  }),
  YAML_SEVERAL_DOCUMENTS: (): MessageTemplate => ({
    message: 'here a second YAML document begins',
    hint: 'a file holds one document: move this one to a file of its own'
  }),
  YAML_TAG: (): MessageTemplate => ({
    message: 'YAML tags (`!…`) are not used here',
    hint: 'remove the tag; a text that begins with `!` needs quotes'
  }),
  YAML_DIRECTIVE: (): MessageTemplate => ({
    message: 'YAML directives (`%…`) are not used here',
    hint: 'remove the line; files are read as YAML 1.2'
  }),
  YAML_MERGE_KEY: (_name: string): MessageTemplate => ({
    message: '`<<` merges nothing in YAML 1.2',
    hint: 'put the common part into a profile, and name it with `$extends`'
  }),
  ALIAS_UNKNOWN: (): MessageTemplate => ({
    message: 'nothing above has the anchor that this alias names',
    hint: 'a text that begins with `*` needs quotes'
  }),
  ALIAS_CYCLE: (): MessageTemplate => ({
    message: 'this alias stands inside of what it stands for'
  }),
  DUPLICATE_KEY: (name: string): MessageTemplate => ({
    message: `the key ${q(name)} is here a second time`,
    hint: 'keep one of them'
  }),
  KEY_FORBIDDEN: (name: string): MessageTemplate => ({
    message: `${q(name)} is not allowed as a key`
  }),
  KEY_NOT_TEXT: (_name: string): MessageTemplate => ({
    message: 'a key must be a text',
    hint: 'quote it'
  }),
  NUMBER_TOO_LARGE: (): MessageTemplate => ({
    message: 'this number is too large to be kept exactly',
    hint: 'quote the value if it is meant as a text'
  }),
  NUMBER_LEADING_ZERO: (): MessageTemplate => ({
    message: 'a number with a leading zero is octal to other readers',
    hint: 'remove the zero, or quote the value if it is meant as a text'
  }),
  WRONG_TYPE: (wanted: string, found: string): MessageTemplate => ({
    message: `this must be ${wanted}, and it is ${found}`,
    ...(wanted === 'a text' && found !== 'nothing' ? { hint: 'quote the value' } : {})
  }),
  VALUE_MISSING: (wanted: string, empty: string): MessageTemplate => ({
    message: `expected ${wanted}, got nothing`,
    hint: `restore the lines below the key (a merge may have dropped them), write \`${empty}\`, or remove the key`
  }),
  UNKNOWN_KEY: (
    name: string,
    near: string | undefined,
    known: readonly string[]
  ): MessageTemplate => ({
    message: `nobody knows the key ${q(name)}`,
    hint: near === undefined ? `known here: ${known.join(', ')}` : `did you mean ${q(near)}?`
  }),
  NAME_UNFIT: (name: string, problem: string): MessageTemplate => ({
    message: `${q(name)} cannot be a name: ${problem}`
  }),
  ID_NOT_UUID: (): MessageTemplate => ({
    message: 'this is no UUID',
    hint: 'ids look like 4ac1dcf4-9d8b-4211-95c4-057819f0862b'
  }),
  EMPTY_FLEET: (): MessageTemplate => ({
    message: 'the fleet declares no site',
    hint: 'name the directory that holds the YAML files, with a `site` in at least one of them'
  }),
  FLEET_TOO_LARGE: (resource: keyof typeof resources, limit: number): MessageTemplate => ({
    message: `one run cannot read this fleet: ${resources[resource](limit)}`,
    hint:
      resource === 'reading'
        ? 'write plain YAML: anchors, aliases, block texts, escapes, tabs and CRLF line ends take twenty times as long; or split the fleet into several folders'
        : 'split the fleet into several folders, and run each of them'
  }),
  NOTHING_SELECTED: (what: 'site' | 'WLAN', glob: string): MessageTemplate => ({
    message: `no ${what} fits ${q(glob)}`,
    hint: `a glob has to fit the whole ${what === 'site' ? 'name or id' : 'key or address'}: \`*\` stands for any characters`
  }),
  REVISION_WRONG: (revision: string, first?: Finding): MessageTemplate => ({
    level: 'warning',
    message: `the fleet as it was at ${q(revision)} is wrong, so nobody can say what changed since: all sites are taken`,
    ...(first?.place && {
      hint: `there, ${first.place.file}:${first.place.line} had this: ${first.message}`
    })
  }),
  BASE_WRONG: (revision: string, first?: Finding): MessageTemplate => ({
    level: 'warning',
    message: `the fleet as it was at ${q(revision)} has errors: new sites and changed waves are not looked for`,
    ...(first?.place && {
      hint: `there, ${first.place.file}:${first.place.line} had this: ${first.message}`
    })
  }),
  OVER_MAX_NEW_SITES: (
    fresh: number,
    base: string,
    most: number,
    source: string
  ): MessageTemplate => ({
    message: `the files declare ${plural(fresh, 'site')} that ${q(base)} does not, and ${source} allows ${most}: ${fresh - most} of them are left out`,
    hint: `if all of them are intended, allow them with \`--max-new-sites ${fresh}\` or \`--max-new-sites all\``
  }),
  SITE_UNDECLARED: (id: string): MessageTemplate => ({
    message: `the site ${id} could not be read then, and is not declared by now`,
    hint: 'the fleet is another one since: begin anew, without `--continue`'
  }),
  SITE_AND_SITES: (): MessageTemplate => ({
    message: 'a file has a `site` or `sites`, not both',
    hint: 'move one of them to a file of its own'
  }),
  WLANS_WITHOUT_SITE: (): MessageTemplate => ({
    message: 'these WLANs belong to no site',
    hint: 'put a `site` or `sites` into the same file'
  }),
  SITE_ID_MISSING: (): MessageTemplate => ({
    message: 'the site has no `id`',
    hint: 'give the UUID that the service has for it'
  }),
  SITE_NAME_MISSING: (defaults: readonly string[]): MessageTemplate => ({
    message:
      defaults.length === 0
        ? 'the site has no `name`'
        : `the site has no \`name\`, and its files would give it several: ${defaults.map(q).join(', ')}`,
    hint: 'give it a `name`'
  }),
  SITE_NAME_TAKEN: (name: string, id: string): MessageTemplate => ({
    message: `the site ${id} is named ${q(name)} too`,
    hint: 'the name of a site is unique in the fleet'
  }),
  SITE_CONTRADICTS: (what: string, file: string): MessageTemplate => ({
    message: `the ${what} of the site is another one in ${file}`,
    hint: 'several files may declare one site if they say the same of it'
  }),
  WLAN_KEY_TWICE: (key: string, file: string): MessageTemplate => ({
    message: `the site has a WLAN ${q(key)} already, from ${file}`,
    hint: 'the key of a WLAN is unique in its site'
  }),
  WLAN_UNIDENTIFIED: (): MessageTemplate => ({
    message: 'nothing says which live WLAN this is',
    hint: 'give its `id`, its `ssid`, or `$match: { ssid: … }`'
  }),
  MATCH_WITHOUT_SSID: (): MessageTemplate => ({
    message: '`$match` needs the present `ssid` of the WLAN'
  }),
  PROFILE_TWICE: (name: string, file: string): MessageTemplate => ({
    message: `the profile ${q(name)} is declared in ${file} already`
  }),
  PROFILE_UNKNOWN: (name: string, near?: string): MessageTemplate => ({
    message: `there is no profile ${q(name)}`,
    ...(near === undefined ? {} : { hint: `did you mean ${q(near)}?` })
  }),
  PROFILE_CYCLE: (names: readonly string[]): MessageTemplate => ({
    message: `the profiles extend each other in a circle: ${names.map(q).join(' → ')}`
  }),
  PROFILE_TOO_DEEP: (limit: number): MessageTemplate => ({
    message: `more than ${limit} profiles extend each other in a row`
  }),
  PROFILE_KEY: (name: string): MessageTemplate => ({
    message: `${q(name)} has no meaning in a profile`,
    hint: 'write it into the WLAN'
  }),
  VARIABLE_UNKNOWN: (name: string, near?: string): MessageTemplate => ({
    message: `the site has no variable ${q(name)}`,
    hint: near === undefined ? 'declare it in the `vars` of the site' : `did you mean ${q(near)}?`
  }),
  VARIABLE_IN_VARIABLE: (name: string): MessageTemplate => ({
    message: `the variable ${q(name)} is made of variables itself`,
    hint: 'use `$format` in the WLAN'
  }),
  FORMAT_BROKEN: (): MessageTemplate => ({
    message: 'a brace of this `$format` is left open, or holds nothing',
    hint: 'variables are written {name}'
  }),
  FORMAT_TOO_LONG: (limit: number): MessageTemplate => ({
    message: `this \`$format\` makes a text of more than ${limit} characters`
  }),
  FORMAT_NOT_TEXT: (name: string): MessageTemplate => ({
    message: `the variable ${q(name)} is no text, number or boolean, and cannot be part of a text`
  }),
  REFERENCE_UNKNOWN: (name: string, near?: string): MessageTemplate => ({
    message: `nobody knows ${q(name)}`,
    hint: near === undefined ? 'keys that begin with `$` speak to wlanctl' : `did you mean ${near}?`
  }),
  REFERENCE_NOT_ALONE: (name: string): MessageTemplate => ({
    message: `${name} stands for the whole value, and there are other keys beside it`
  }),
  POLICY_TWICE: (file: string): MessageTemplate => ({
    message: `the fleet has a policy already, in ${file}`,
    hint: 'a fleet has one `policy`'
  }),
  NOT_A_CHOICE: (text: string, choices: readonly string[]): MessageTemplate => ({
    message: `${q(text)} is not one of ${choices.join(', ')}`
  }),
  RULE_INCOMPLETE: (key: string): MessageTemplate => ({ message: `the rule has no \`${key}\`` }),
  RULE_TWICE: (name: string): MessageTemplate => ({
    message: `there is a rule ${q(name)} already`
  }),
  RULES_TOO_MANY: (limit: number): MessageTemplate => ({
    message: `the policy has more than ${limit} rules`,
    hint: 'join some of them with `allOf`'
  }),
  RULE_INVALID: (name: string, problem: string): MessageTemplate => ({
    message: `the rule ${q(name)} cannot be used: ${problem}`
  }),
  RULE_BROKEN: (
    name: string,
    message: string,
    level: 'error' | 'warning',
    addresses: readonly string[],
    variable?: string
  ): MessageTemplate => ({
    level,
    message: `this breaks the rule ${q(name)}: ${message}${from(variable)}`,
    ...(addresses.length === 1 ? {} : { hint: concerning(addresses) })
  }),
  RULE_BROKEN_OFTEN: (
    name: string,
    places: number,
    level: 'error' | 'warning'
  ): MessageTemplate => ({
    level,
    message: `the rule ${q(name)} is broken at ${plural(places, 'other place')}`
  }),

  // config: the rollout
  WAVES_TOO_MANY: (limit: number): MessageTemplate => ({
    message: `the rollout has more than ${limit} waves`,
    hint: 'a wave may have several globs: join some'
  }),
  WAVE_KEYS: (keys: readonly string[]): MessageTemplate => ({
    message:
      keys.length === 0
        ? 'the wave has no name'
        : `a wave has one key, its name, and this one has ${keys.length}: ${inShort(keys.map(q))}`,
    hint: 'begin each wave with a dash: `- canary: hq`'
  }),
  WAVE_TWICE: (name: string): MessageTemplate => ({
    message: `there is a wave ${q(name)} already`
  }),
  WAVE_PERCENT: (): MessageTemplate => ({
    message: 'a percentage of sites is a whole one from `1%` to `100%`, and stands alone',
    hint: 'write it like `50%`'
  }),
  WAVE_SHRINKS: (percent: number, before: number): MessageTemplate => ({
    message: `after ${before}% of the sites, ${percent}% is none more`,
    hint: 'percentages are of all sites, with those of the waves before'
  }),
  WAVE_WITHOUT_SITES: (): MessageTemplate => ({
    message: 'the wave holds nothing',
    hint: 'name its sites by a glob, or give a percentage of them'
  }),
  WAVE_FITS_NO_SITE: (glob: string): MessageTemplate => ({
    level: 'warning',
    message: `no site of the fleet fits ${q(glob)}`
  }),
  WAVE_EMPTY: (name: string): MessageTemplate => ({
    level: 'warning',
    message: `no site is left for the wave ${q(name)}`,
    hint: 'a site belongs to the first wave that fits it'
  }),
  WAVE_CHANGED: (sites: readonly string[], base: string): MessageTemplate => ({
    level: 'warning',
    message: `${plural(sites.length, 'site')} moved to another wave since ${q(base)}, and ${sites.length === 1 ? 'goes' : 'go'} last: ${inShort(sites.map(q))}`,
    hint: 'merge the move first, and change these sites in the next pull request'
  }),
  ROLLOUT_REMOVED: (base: string): MessageTemplate => ({
    level: 'warning',
    message: `${q(base)} declares a rollout, and the files no longer do: all sites are changed at once`,
    hint: 'restore `policy.rollout` unless that is intended'
  }),
  ROLLOUT_TOO_LARGE: (): MessageTemplate => ({
    message: 'to compare all sites with all globs of the rollout takes too long',
    hint: 'use fewer or shorter globs, or percentages'
  }),

  // config: the fields of a WLAN; none of these shows the value of a secret field
  FIELD_UNKNOWN: (name: string, near?: string, variable?: string): MessageTemplate => ({
    message: `a WLAN has no field ${q(name)}${from(variable)}`,
    hint:
      near === undefined
        ? 'to let unknown fields through, set `policy.unknown_fields` to `warn`'
        : `did you mean ${q(near)}?`
  }),
  FIELD_MISSING: (name: string, variable?: string): MessageTemplate => ({
    message: `${q(name)} is missing here${from(variable)}`
  }),
  FIELD_TYPE: (
    allowed: readonly string[],
    found: null | boolean | number | string | undefined,
    variable?: string
  ): MessageTemplate => {
    const hint = typeHint(allowed, found)
    return {
      message: `this must be ${allowed.map(type => types[type] ?? type).join(' or ')}${from(variable)}`,
      ...(hint === undefined ? {} : { hint })
    }
  },
  FIELD_VALUE_UNKNOWN: (
    found: null | boolean | number | string | undefined,
    known: readonly string[],
    near?: string,
    variable?: string
  ): MessageTemplate => ({
    level: 'warning',
    message: `${JSON.stringify(found) ?? 'this'} is none of the known values: ${known.join(', ')}${from(variable)}`,
    ...(near === undefined ? {} : { hint: `did you mean ${q(near)}?` })
  }),
  FIELD_RANGE: (bounds: Bounds, unit?: string, variable?: string): MessageTemplate => ({
    message: `this must be ${within(bounds)}${unit === undefined ? '' : ` ${unit}`}${from(variable)}`
  }),
  FIELD_LENGTH: (bounds: Bounds, variable?: string): MessageTemplate => ({
    message: `this must have ${within(bounds)} characters${from(variable)}`
  }),
  FIELD_PATTERN: (shape: string, variable?: string): MessageTemplate => ({
    message: `this must be ${shape}${from(variable)}`
  }),
  FIELD_READ_ONLY: (name: string): MessageTemplate => ({
    message: `the service keeps ${q(name)} itself`,
    hint: 'remove the field'
  }),
  FIELD_DEPRECATED: (name: string): MessageTemplate => ({
    level: 'warning',
    message: `the service has ${q(name)} for old records only`
  }),
  SSID_INVALID: (problem: string, variable?: string): MessageTemplate => ({
    message: `this cannot be an SSID: ${problem}${from(variable)}`
  }),
  SSID_MIXED_SCRIPTS: (scripts: readonly string[], variable?: string): MessageTemplate => ({
    level: 'warning',
    message: `this SSID mixes letters that look alike: ${scripts.join(' and ')}${from(variable)}`
  }),
  SECRET_IN_CLEAR: (variable?: string): MessageTemplate => ({
    message: `a secret stands here in clear${from(variable)}`,
    hint: 'refer to it: `{ $env: WLAN_SECRET_… }` or `{ $file: … }`; and since it was written down, change it'
  }),
  SECRET_MISPLACED: (): MessageTemplate => ({
    message: 'this field is not secret: what is written here can be read by everybody',
    hint: '`$env` and `$file` are for secret fields; for other values there are `$var` and `$format`'
  }),
  // What was written may be the secret itself, in the wrong place: it is not shown.
  SECRET_REFERENCE: (problem: string): MessageTemplate => ({
    message: `this reference is not allowed: ${problem}`
  }),
  SECRET_UNRESOLVED: (reference: string, problem: string): MessageTemplate => ({
    level: 'warning',
    message: `${q(reference)} is not available: ${problem}`,
    hint: 'the field is not compared, and `apply` needs it'
  }),
  SECRET_INVALID: (shape: string): MessageTemplate => ({
    message: `the secret is not what the field takes: ${shape}`
  }),
  WLAN_TOO_LARGE: (limit: number): MessageTemplate => ({
    message: `the WLAN has more than ${limit} values, with its profiles and variables`
  }),
  // show --history
  HISTORY_LEFT_OUT: (file: string, problem: string): MessageTemplate => ({
    level: 'warning',
    message: `${q(file)} is left out of the history: ${problem}`
  }),
  HISTORY_TOO_LONG: (left: number, most: number): MessageTemplate => ({
    level: 'warning',
    message: `${plural(left, 'file')} at the beginning of the folder, by name, ${left === 1 ? 'is' : 'are'} left out: ${most} are looked at`
  }),
  HISTORY_OTHER_SERVICE: (url: string, reports: number, shown: string): MessageTemplate => ({
    level: 'warning',
    message: `${plural(reports, 'report')} on ${q(url)} ${reports === 1 ? 'is' : 'are'} left out: the newest is on ${q(shown)}`,
    hint: 'keep the reports of each service in a folder of its own'
  }),
  MORE_WARNINGS: (shown: number, more: number): MessageTemplate => ({
    level: 'warning',
    message: `the first ${shown} warnings are listed; ${more} more were found`
  }),
  MORE_REFUSALS: (shown: number, more: number): MessageTemplate => ({
    message: `the first ${shown} refusals are listed; ${more} more were found`
  }),
  TOO_MANY_ERRORS: (limit: number, more: number): MessageTemplate => ({
    message: `there are ${limit} errors or more; ${more === 0 ? 'the others are not looked for' : `the first ${limit} are listed, and ${more} more were found before the search ended`}`,
    hint: 'mend these first'
  })
} as const satisfies Record<string, (...details: never[]) => MessageTemplate>
