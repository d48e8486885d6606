import { listFirst, plural, quote } from '../../values/text.ts'
import { didYouMean, type Messages } from './template.ts'

const amounts = {
  depth: (limit: number): string => `${limit} nested maps and lists`,
  keys: (limit: number): string => `${limit} keys in one map`,
  items: (limit: number): string => `${limit} items in one list`,
  nodes: (limit: number): string => `${limit} keys and values`,
  aliases: (limit: number): string => `${limit} keys and values after its aliases are resolved`,
  tokens: (limit: number): string => `${limit} words, comments and punctuation marks`
}

const resources = {
  entries: (limit: number): string => `its folders hold more than ${limit} names`,
  files: (limit: number): string => `it has more than ${limit} files`,
  bytes: (limit: number): string => `its files hold more than ${limit / 1024 / 1024} MiB`,
  nodes: (): string =>
    'its files, profiles and variables expand to more values than the limit of a run',
  sites: (limit: number): string => `it declares more than ${limit} sites`,
  wlans: (limit: number): string => `its sites have more than ${limit} WLANs together`,
  seconds: (limit: number): string =>
    `reading and checking it takes more than ${limit} seconds of CPU time`
}

/** The mistakes that make a file invalid YAML, by an own code or that of the parser: the problem and the fix. */
const syntax: Readonly<Record<string, readonly [problem: string, fix?: string]>> = {
  ALIAS_PROPS: ['an alias has no anchor or tag of its own'],
  BAD_ALIAS: [
    'an anchor or alias needs a name, and the name must not end in a colon',
    'quote a string that starts with `&` or `*`'
  ],
  BAD_BLOCK_HEADER: [
    'unexpected text after `|` or `>`',
    'quote a string that starts with `|` or `>`'
  ],
  BAD_DQ_ESCAPE: [
    'unknown escape in double quotes',
    'write `\\\\` for a backslash, or use single quotes'
  ],
  BAD_INDENT: [
    'the indentation does not match the lines above',
    'indent the keys of one map, and the items of one list, by the same number of spaces'
  ],
  BAD_PROP_ORDER: ['expected the anchor after `-`, `?` or `:`, got it before'],
  BAD_SCALAR_START: ['a string cannot start with this character', 'quote the value'],
  BLOCK_AS_IMPLICIT_KEY: ['a map or list starts in the middle of a line'],
  BLOCK_IN_FLOW: ['maps and lists between brackets need brackets, too'],
  COLON_IN_FLOW: [
    'unexpected colon in a value',
    'separate the values with a comma, or quote the value'
  ],
  COLON_IN_VALUE: ['a value that holds a colon and a space needs quotes', 'quote the value'],
  CONFLICT: ['a conflict marker of a merge', 'resolve the conflict, and remove its markers'],
  KEY_OVER_1024_CHARS: ['a key is longer than 1024 characters'],
  LIST_IN_LINE: [
    'a list starts in the middle of a line',
    'write its items on lines of their own, or quote a string that starts with `- `'
  ],
  MAP_AND_LIST: [
    'expected a map or a list, got keys and items with the same indentation',
    'indent the lines that belong to the key or item above'
  ],
  MISSING_CHAR: ['a quote, bracket, comma, colon or space is missing'],
  MULTIPLE_ANCHORS: ['a value has two anchors'],
  NO_COLON: ['expected `key: value`, got no colon, or a key that continues on the next line'],
  NO_SPACE_AFTER_COLON: ['expected a space after the colon', 'write `key: value`'],
  NO_SPACE_AFTER_DASH: ['expected a space after the dash', 'write `- value`'],
  NO_SPACE_BEFORE_HASH: [
    'expected a space before the comment',
    'to keep `#` in the value, quote all of it'
  ],
  STRAY_BRACKET: ['a closing bracket has no opening one', 'remove it, or quote the value'],
  TAB_AS_INDENT: ['a line is indented with a tab', 'use spaces'],
  TEXT_AFTER_ALIAS: ['unexpected text after an alias', 'quote a string that starts with `*`'],
  TEXT_AFTER_BRACKET: [
    'unexpected text after a closing bracket',
    'quote a string that starts with `[` or `{`'
  ],
  TEXT_AFTER_QUOTE: [
    'unexpected text after a closing quote',
    'quote all of the value; double a single quote within single quotes'
  ],
  UNCLOSED_BRACKET: [
    'the bracket is never closed',
    'close it, or quote a string that starts with it'
  ],
  UNCLOSED_QUOTE: ['the quote is never closed', 'close it on this line'],
  VARIABLE_UNQUOTED: ['unexpected `{{`, which starts a map', 'quote a value that starts with `{{`']
}

const unsupported = {
  tag: {
    message: 'YAML tags (`!…`) are not supported',
    hint: 'remove the tag; quote a string that starts with `!`'
  },
  directive: {
    message: 'YAML directives (`%…`) are not supported',
    hint: 'remove the line; files are read as YAML 1.2'
  }
}

/** Findings about files and their YAML; none of them quotes the source, which may contain a secret. */
export const fileMessages = {
  FILE_UNREADABLE: (reason: string) => ({
    message: `the file cannot be read: ${reason}`
  }),
  FILE_NOT_REGULAR: () => ({
    message: 'not a regular file',
    hint: 'a fleet consists of regular files; rename this one, or move it elsewhere'
  }),
  FILE_TOO_LARGE: (limit: number) => ({
    message: `the file is larger than ${limit / 1024 / 1024} MiB`,
    hint: 'split the file'
  }),
  FILE_NOT_UTF8: () => ({
    message: 'invalid UTF-8',
    hint: 'save the file as UTF-8'
  }),
  FILE_EMPTY: () => ({ level: 'warning', message: 'the file is empty' }),
  LINK_LEADS_OUT: () => ({
    message: 'the link leads out of the fleet directory, or is broken',
    hint: 'a fleet reads no files outside its directory: copy the file into it'
  }),
  CONTROL_CHARACTER: (code: number) => ({
    message: `unexpected control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
    hint: 'remove it; in double quotes it may be written as an escape'
  }),
  YAML_INDENT: (
    spaces: number,
    wanted: readonly { readonly spaces: number; readonly line: number }[]
  ) => ({
    message: `invalid YAML: expected an indentation of ${wanted.map(each => each.spaces).join(' or ')} spaces, got ${spaces}`,
    hint: `indent it like line ${wanted.map(({ line }) => line).join(' or ')}`
  }),
  YAML_SYNTAX: (problem: string) => {
    const [message, hint] = syntax[problem] ?? ['unexpected text']
    return { message: `invalid YAML: ${message}`, hint }
  },
  COMMENT_IN_VALUE: () => ({
    level: 'warning',
    message: 'the text from ` #` on is a comment, and not part of the value',
    hint: 'quote the value to keep it; otherwise write a space after the `#`'
  }),
  YAML_TOO_LARGE: (amount: keyof typeof amounts, limit: number) => ({
    message: `the file holds more than ${amounts[amount](limit)}`,
    hint: 'split the file'
  }),
  YAML_SEVERAL_DOCUMENTS: () => ({
    message: 'expected one YAML document, got a second one',
    hint: 'move the second document to a file of its own'
  }),
  YAML_UNSUPPORTED: (part: keyof typeof unsupported) => unsupported[part],
  YAML_MERGE_KEY: (_name: string) => ({
    message: 'YAML 1.2 has no merge key `<<`',
    hint: 'move the common part into a profile, and extend it with `$extends`'
  }),
  ALIAS_UNKNOWN: () => ({
    message: 'the alias names no anchor above it',
    hint: 'quote a string that starts with `*`'
  }),
  ALIAS_CYCLE: () => ({
    message: 'the alias lies inside the value of its own anchor'
  }),
  DUPLICATE_KEY: (name: string) => ({
    message: `duplicate key ${quote(name)}`,
    hint: 'keep one of them'
  }),
  KEY_FORBIDDEN: (name: string) => ({
    message: `${quote(name)} is not allowed as a key`
  }),
  KEY_NOT_TEXT: (_name: string) => ({
    message: 'expected a string as key',
    hint: 'quote the key'
  }),
  NUMBER_TOO_LARGE: (written?: string) => ({
    message: `the number ${written === undefined ? '' : `${written} `}is too large to be kept exactly`,
    hint: 'to declare a string, quote the value'
  }),
  NUMBER_LEADING_ZERO: (_written?: string) => ({
    message: 'other YAML readers take a number with a leading zero as octal',
    hint: 'remove the zero; to declare a string, quote the value'
  }),
  WRONG_TYPE: (wanted: string, found: string) => ({
    message: `expected ${wanted}, got ${found}`,
    hint: /^a (?:string|text)$/.test(wanted) && found !== 'nothing' ? 'quote the value' : undefined
  }),
  VALUE_MISSING: (wanted: string, empty: string) => ({
    message: `expected ${wanted}, got nothing`,
    hint: `restore the lines below the key (a merge may have dropped them), write \`${empty}\`, or remove the key`
  }),
  UNKNOWN_KEY: (name: string, near: string | undefined, known: readonly string[]) => ({
    message: `unknown key ${quote(name)}`,
    hint: didYouMean(near, `known keys: ${known.join(', ')}`)
  }),
  POLICY_IGNORED: () => ({
    message: 'the file declares a `policy`, and `.wlanctlignore` excludes it',
    hint: 'a policy is always in force: remove the line from `.wlanctlignore`, or move a file of another program out of the directory of the fleet'
  }),
  FILE_NOT_OF_FLEET: (keys: readonly string[], known: readonly string[]) => ({
    message: `expected a file of the fleet, got ${
      keys.length === 0
        ? 'a list'
        : `one with ${plural(keys.length, 'other key')}: ${listFirst(
            keys.map(key => quote(key, 40)),
            3
          )}`
    }`,
    hint: `every YAML file in the directory of the fleet is read: name this one in \`.wlanctlignore\`, or use a directory that holds only the fleet (known keys: ${known.join(', ')})`
  }),
  NAME_BLANK: (name: string) => ({
    level: 'warning',
    message: `the name ${quote(name)} begins or ends with a blank`,
    hint: 'remove the blank: options and references have to repeat it'
  }),
  NAME_UNFIT: (name: string, problem: string) => ({
    message: `invalid name ${quote(name)}: ${problem}`
  }),
  ID_NOT_UUID: () => ({
    message: 'expected a UUID',
    hint: 'ids look like 4ac1dcf4-9d8b-4211-95c4-057819f0862b'
  }),
  FLEET_TOO_LARGE: (resource: keyof typeof resources, limit: number) => ({
    message: `the fleet is too large for one run: ${resources[resource](limit)}`,
    hint:
      resource === 'seconds'
        ? 'use fewer or simpler profiles, globs, rules and tests; or split the fleet into several folders'
        : 'split the fleet into several folders, and run each of them'
  })
} as const satisfies Messages
