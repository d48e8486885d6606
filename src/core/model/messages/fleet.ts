import { quote } from '../../values/text.ts'
import {
  didYouMean,
  fromVariable,
  type Messages,
  ofSites,
  type VariableOrigin
} from './template.ts'

interface BaseFinding {
  readonly message: string
  readonly place?: { readonly file: string; readonly line: number }
}

const placed = ({ place, message }: BaseFinding) =>
  place === undefined ? message : `${place.file}:${place.line}: ${message}`

export const fleetMessages = {
  NAME_TWICE: (kind: string, name: string, file?: string) => ({
    message: `duplicate ${kind} ${quote(name)}${file === undefined ? '' : `: ${file} declares it, too`}`
  }),
  NAME_UNKNOWN: (kind: string, name: string, near?: string, otherwise?: string) => ({
    message: `unknown ${kind} ${quote(name)}`,
    hint: didYouMean(near, otherwise)
  }),
  KEY_MISSING: (kind: string, key: string, hint?: string) => ({
    message: `the ${kind} has no \`${key}\``,
    hint
  }),
  KEY_NOT_ALLOWED: (name: string, where: string, known: readonly string[]) => ({
    message: `${quote(name)} is not allowed in ${where}`,
    hint: `expected fields and ${known.join(', ')}`
  }),
  TOO_MANY: (of: string, limit: number, what: string, hint: string) => ({
    message: `the ${of} has more than ${limit} ${what}`,
    hint
  }),
  EMPTY_FLEET: () => ({
    message: 'the fleet declares no sites',
    hint: 'name the directory that holds the YAML files; `wlanctl demo` shows how it works, and `wlanctl init` starts a fleet'
  }),
  NOTHING_SELECTED: (kind: 'site' | 'WLAN', glob: string, near?: string) => ({
    message: `no ${kind} matches ${quote(glob)}`,
    hint: didYouMean(
      near,
      `a glob must match the whole ${kind === 'site' ? 'name or id' : 'key or address'}: \`*\` stands for any characters, \`[1-3]\` for one of a class, \`{a,b}\` for alternatives`
    )
  }),
  BASE_WRONG: (revision: string, first?: BaseFinding) => ({
    message: `the fleet cannot be read at ${quote(revision)}: ${first === undefined ? 'it has errors' : placed(first)}`,
    hint: 'correct it on that branch first, or name another revision'
  }),
  BASE_POLICY_WRONG: (revision: string, first: BaseFinding) => ({
    level: 'warning',
    message: `the policy at ${quote(revision)} applies only in part: ${placed(first)}`,
    hint: 'invalid parts have no effect: compare that policy with the one of the files'
  }),
  SITE_AND_SITES: () => ({
    message: 'expected `site` or `sites`, got both',
    hint: 'move one of them to a file of its own'
  }),
  WLANS_WITHOUT_SITE: () => ({
    message: 'these WLANs belong to no site',
    hint: 'add a `site` or `sites` to the same file'
  }),
  SITE_NAME_TAKEN: (name: string, id: string) => ({
    message: `duplicate site name ${quote(name)}: the site ${id} has it, too`,
    hint: 'the name of a site is unique in the fleet'
  }),
  SITE_ID_TWICE: (id: string, line: number) => ({
    message: `duplicate site id ${id}: line ${line} of this file declares it, too`,
    hint: 'remove one of the two sites, or correct its id'
  }),
  SITE_CONTRADICTS: (part: string, file: string) => ({
    message: `the ${part} of the site differs from the one in ${file}`,
    hint: 'files that declare the same site must agree'
  }),
  WLAN_KEY_TWICE: (key: string, file: string) => ({
    message: `duplicate WLAN ${quote(key)}: the site has it from ${file}`,
    hint: 'the key of a WLAN is unique in its site'
  }),
  WLAN_UNIDENTIFIED: () => ({
    message: 'the declaration does not identify a live WLAN',
    hint: 'add an `id`, an `ssid`, or `$match: { ssid: … }`'
  }),
  MATCH_WITHOUT_SSID: () => ({
    message: '`$match` needs the current `ssid` of the live WLAN'
  }),
  PROFILE_CYCLE: (names: readonly string[]) => ({
    message: `profiles extend each other in a circle: ${names.map(name => quote(name)).join(' → ')}`
  }),
  PROFILE_TOO_DEEP: (limit: number) => ({
    message: `a chain of more than ${limit} profiles`
  }),
  EXTENDS_TWICE: (name: string) => ({
    message: `duplicate profile ${quote(name)} in \`$extends\``,
    hint: 'keep the last one, which takes precedence'
  }),
  OVERRIDE_UNKNOWN: (key: string, near?: string) => ({
    message: `the override is for the WLAN ${quote(key)}, which this file does not declare`,
    hint: didYouMean(
      near,
      'declare the WLAN in the `wlans` of this file, or add an `ssid` to declare it for this site alone'
    )
  }),
  UNSET_UNDECLARED: (name: string, near?: string) => ({
    level: 'warning',
    message: `\`$unset\` names ${quote(name)}, which the WLAN does not declare`,
    hint: didYouMean(near, 'remove it from the list')
  }),
  UNSET_IN_LIST: (name: string) => ({
    message: `\`$unset\` names ${quote(name)}, an element of a list: a list is one value`,
    hint: 'declare the whole list in the override'
  }),
  VARIABLE_UNKNOWN: (name: string, near?: string, origin?: VariableOrigin) => ({
    message: `unknown variable ${quote(name)}${origin === undefined ? '' : ofSites(origin)}`,
    hint: didYouMean(near, 'set it in the `vars` of the site or of a group, or add a `$default`')
  }),
  VARIABLE_IN_VARIABLE: (name: string, kind = '$format', origin?: VariableOrigin) => ({
    message: `the variable ${quote(name)} refers to other variables${fromVariable(origin)}`,
    hint: `use \`${kind}\` in the WLAN`
  }),
  FORMAT_BROKEN: (kind = '$format') => ({
    message: `\`${kind}\` has an unclosed or empty brace`,
    hint: 'write variables as {name}'
  }),
  FORMAT_TOO_LONG: (limit: number, kind = '$format') => ({
    message: `\`${kind}\` makes a string of more than ${limit} characters`
  }),
  FORMAT_NOT_TEXT: (name: string, origin?: VariableOrigin) => ({
    message: `the variable ${quote(name)} cannot be part of a string: expected a string, number or boolean${fromVariable(origin)}`
  }),
  REFERENCE_UNKNOWN: (name: string, near?: string) => ({
    message: `unknown instruction ${quote(name)}`,
    hint:
      near === undefined
        ? 'keys that start with `$` are instructions to wlanctl'
        : `did you mean ${near}?`
  }),
  DEFAULT_ALONE: () => ({
    message: '`$default` needs a `$var`: it is the value for sites that do not set the variable'
  }),
  REFERENCE_NOT_ALONE: (name: string, other: string, near?: string) => ({
    message: `${name} stands for the whole value: unexpected key ${quote(other)}`,
    hint: near === undefined ? 'remove the other keys' : `did you mean ${quote(near)}?`
  }),
  NOT_A_CHOICE: (text: string, choices: readonly string[]) => ({
    message: `expected one of ${choices.join(', ')}, got ${quote(text)}`
  })
} as const satisfies Messages

export const testMessages = {
  TEST_INVALID: (name: string, problem: string, hint?: string) => ({
    message: `invalid test ${quote(name)}: ${problem}`,
    hint
  }),
  TEST_CANNOT_FAIL: (name: string, reason: string, near?: string) => ({
    message: `the test ${quote(name)} can never fail: ${reason}`,
    hint: didYouMean(near)
  }),
  TEST_FAILED: (name: string, expected: string, found: string, holds?: string) => ({
    message: `the test ${quote(name)} failed: expected ${expected}, found ${found}`,
    hint: holds
  })
} as const satisfies Messages
