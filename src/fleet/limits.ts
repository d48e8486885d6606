/** Without limits, 40,000 keys take the parser seconds, and deep nesting crashes the process. */
export const limits = {
  /** Size of a file in bytes. */
  bytes: 4 * 1024 * 1024,
  /** Nesting depth of maps and lists, including aliases. */
  depth: 64,
  /** Keys of a map. */
  keys: 5000,
  /** Items of a list. */
  items: 20_000,
  /** Keys, values, maps and lists of a file, including those behind aliases. */
  nodes: 200_000,
  /** Tokens of a file, including comments, line ends and punctuation. */
  tokens: 1_200_000,
  /** YAML errors of a file before parsing stops: later errors mostly follow from the first. */
  faults: 20,
  /** Values of a WLAN, including its profiles and variables. */
  values: 5000,
  /** Length of a chain of profiles. */
  extends: 64,
  /** Length of a string from `$format`, in UTF-16 code units. */
  format: 65_536,
  /** Rules of a policy. */
  rules: 100,
  /** Keywords and values in the schema of a rule. */
  ruleNodes: 500,
  /** Tests of a fleet. */
  tests: 500,
  /** Names, globs and conditions in a list of a test, each of at most `pattern` UTF-16 code units. */
  testItems: 100,
  /** Instructions of all patterns of the rules together: RE2 repeats a part for each of its repetitions. */
  instructions: 150_000,
  /** Characters of a text times instructions of a pattern. A match cannot be interrupted; this one takes up to 1 s. */
  match: 5_000_000,
  /** Errors of a WLAN under the schema of a rule. */
  ruleErrors: 100_000,
  /** Waves of a rollout. */
  waves: 20,
  /** Windows of a policy, and freezes. */
  windows: 50,
  freezes: 50,
  /** Length of a pattern in UTF-16 code units. */
  pattern: 200,
  /** Length of the message of a rule in UTF-16 code units. */
  message: 500,
  /** Places of a broken rule that are listed; the others are counted. */
  broken: 200
} as const

/** The nodes that an entry of a merged map counts as: it takes 45 bytes. */
export const NODES_OF_ENTRY = 1 / 3

/** The nodes that a merged object counts as: V8 stores one of many members as a hash table. */
export function nodesOfObject(members: number): number {
  return members > 500 ? members / 3 : members / 10
}

/** The additional nodes and values that a long string counts as. */
export function weightOf(text: string): number {
  return Math.floor(text.length / 64)
}

/**
 * The limits of a run for all files of its fleet together, because a pull request may contain thousands of files. They
 * bound its memory to about 1 GB.
 */
export const runLimits = {
  /** Names in the folders of the fleet, YAML files and others. */
  entries: 200_000,
  files: 60_000,
  /** Size of the YAML files in bytes. */
  bytes: 128 * 1024 * 1024,
  /** Maps, lists and values that stay in memory, and how many more for each byte of the files. */
  nodes: 4_000_000,
  nodesPerByte: 1 / 16,
  sites: 200_000,
  /** WLANs of all sites together. */
  wlans: 1_500_000,
  /** CPU time to read and judge the files, and how much more for each byte of the files. */
  seconds: 60,
  secondsPerByte: 10 / 1024 / 1024
} as const

export type RunLimits = { readonly [name in keyof typeof runLimits]: number }

/** The CPU seconds that each live WLAN adds for the rules of the policy. */
export const SECONDS_OF_LIVE_WLAN = 0.002

/** The maximum number of stored findings of one level; further ones are counted. */
export const MAX_FINDINGS = 5000
