import type { FindingCode, messages } from '../../src/core/model/finding.ts'

type Messages = typeof messages

const setAt = { file: 'sites/hq.yaml', line: 4, column: 9 }
const OF_ONE = { variables: ['v'], sites: ['hq'], count: 1, setAt }
const OF_MANY = { variables: ['v'], sites: ['a', 'b', 'c'], count: 40, setAt, isSetElsewhere: true }
const OF_SEVERAL = { variables: ['v', 'w'], sites: ['hq', 'lab'], count: 2 }
const EVENTS = { ssid: 'Events', id: '7d6f1c5e-3c1c-4c0e-9d0a-4f3a7c1f6b2e' }

/** Example details of each finding; the reference prints the first. */
export const samples: {
  readonly [C in FindingCode]: readonly [Parameters<Messages[C]>, ...Parameters<Messages[C]>[]]
} = {
  WLAN_NOT_FOUND: [
    ['SSID', ['Gest'], { near: { name: 'Guest', isLikely: true } }],
    ['SSID', ['Gest'], { near: { name: 'Warehouse', isLikely: false } }],
    ['SSID', ['Gest'], { isEmptyList: true }],
    ['id', ['7d6f1c5e-3c1c-4c0e-9d0a-4f3a7c1f6b2e']]
  ],
  WLAN_AMBIGUOUS: [
    ['Guest', ['7d6f1c5e-3c1c-4c0e-9d0a-4f3a7c1f6b2e', '0c5be9c8-6c46-4b0a-a7b3-1f5a7d0f3a11']]
  ],
  WLAN_CLAIMED_TWICE: [['7d6f1c5e-3c1c-4c0e-9d0a-4f3a7c1f6b2e', ['hq/guest']]],
  WLAN_INHERITED: [
    ['9b8f7e6d-5c4b-4a39-8281-706f5e4d3c2b', ['ssid']],
    [undefined, ['ssid']]
  ],
  SECRET_HIDDEN: [
    [['/auth/psk'], ['auth']],
    [
      ['/auth/psk', '/portal/password', '/airwatch/api_key', '/airwatch/password'],
      ['auth', 'portal', 'airwatch']
    ]
  ],
  SECRET_LOST: [['/auth_servers/1/secret', 'auth_servers']],
  SECRET_MISSING: [['/auth_servers/1/secret', 'auth_servers']],
  SECRET_MASKED: [
    ['$env: WLAN_SECRET_GUEST_PSK', 'a mask'],
    ['$env: WLAN_SECRET_GUEST_PSK', 'wrapped in quotes']
  ],
  DOWNGRADE: [[['/auth/type']]],
  CHANGE_OVERRIDDEN: [
    ['/auth_servers', 'profiles.yaml:12', ['clinic-05', 'clinic-06']],
    ['/vlan_id', 'sites/clinics.yaml:3', ['clinic-09']]
  ],
  POLICY_RELAXED: [[['max_changes 20 → 50', 'rule "no-open-corp" removed']]],
  POLICY_IGNORED: [[]],
  DOWNGRADE_REFUSED: [[['hq/guest']], [['hq/guest', 'hq/corp', 'lab/corp']]],
  NUMBER_NOT_KEPT: [['portal']],
  UNMANAGED: [['IoT', '7d6f1c5e-3c1c-4c0e-9d0a-4f3a7c1f6b2e']],
  UNWATCHED: [
    [12, 4, ['hq/corp (isolation, bands)']],
    [1, 1, ['hq/corp (bands)']]
  ],
  UNMANAGED_OPEN: [['Printer-Setup', '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b01', 'open, VLAN 30']],
  UNDECLARED_CHANGED: [
    ['/isolation', 'true', 'false', '2026-11-20T10:00:00Z'],
    ['/isolation', 'false', 'true']
  ],
  OVER_MAX_CHANGES: [[42, 120, 20, 'policy.max_changes']],
  SECRETS_MISSING: [[1], [3]],
  PROTECTED: [
    [1, 3],
    [4, 9]
  ],
  OVER_MAX_IMPACT: [
    [3, 120, 'outage', 'reconnect'],
    [3, 120, 'reconnect', 'none'],
    [3, 120, 'outage', 'none', true]
  ],
  OVER_MAX_PERCENT: [[50, 120, 30]],
  CHANGED_SINCE: [[['/vlan_id']]],
  SECRET_NOT_RESTORED: [[['/auth/psk']]],
  NOT_RESTORED: [
    ['site', 'the site is not in the snapshot'],
    ['network'],
    ['unknown', 'new_field'],
    ['secret', 'auth.type']
  ],
  SIDE_EFFECT_STAYS: [[['/limit_bcast']]],
  NO_LONGER_DECLARED: [
    ['origin/main', { field: '/vlan_id', live: '20' }],
    ['origin/main', { field: '/auth/psk', live: '(secret)' }],
    ['origin/main', { field: '/dtim', live: undefined }],
    ['origin/main', { ...EVENTS, enabled: true, isReplaced: false }],
    ['origin/main', { ...EVENTS, enabled: false, isReplaced: false }],
    ['origin/main', { ...EVENTS, enabled: true, isReplaced: true }],
    ['origin/main', { site: 'hq' }]
  ],
  SITE_NOT_DECLARED: [['4ac1dcf4-9d8b-4211-95c4-057819f0862b']],
  ORG_NOT_READ: [['GET /api/v1/orgs/<id>/sites: 403']],
  SITE_NOT_READ: [['no route to host'], ['503 Service Unavailable', 'try again later']],
  IMPORT_INHERITED: [
    [1, 1],
    [12, 4]
  ],
  IMPORT_EMPTY: [[]],
  IMPORT_SSID_UNFIT: [['it has a control character']],
  IMPORT_UNFIT: [[['/dtim']], [['/dtim', '/vlan_id']]],
  IMPORT_UNKNOWN: [
    [['wifi8'], 1],
    [['wifi8', 'wifi9'], 14]
  ],
  IMPORT_TOO_LARGE: [[]],
  IMPORT_NOT_FACTORED: [['two sites have the same name']],
  IMPORT_GROUP_UNUSED: [['north', '10.10.*']],
  IMPORT_SECRET_HIDDEN: [[2, 11]],
  IMPORT_SECRET_UNFIT: [[['hq-guest-auth-psk']]],
  FILE_UNREADABLE: [['permission denied']],
  FILE_NOT_REGULAR: [[]],
  FILE_TOO_LARGE: [[4_194_304]],
  FILE_NOT_UTF8: [[]],
  FILE_EMPTY: [[]],
  FILE_NOT_OF_FLEET: [
    [
      ['site_name', 'theme', 'nav', 'plugins'],
      ['site', 'sites', 'wlans', 'profiles', 'policy']
    ],
    [[], ['site', 'sites', 'wlans', 'profiles', 'policy']]
  ],
  LINK_LEADS_OUT: [[]],
  CONTROL_CHARACTER: [[7]],
  COMMENT_IN_VALUE: [[]],
  NAME_BLANK: [['guest ']],
  YAML_INDENT: [
    [5, [{ spaces: 4, line: 6 }]],
    [
      3,
      [
        { spaces: 2, line: 5 },
        { spaces: 4, line: 6 }
      ]
    ]
  ],
  YAML_SYNTAX: [
    ['ALIAS_PROPS'],
    ['BAD_ALIAS'],
    ['BAD_BLOCK_HEADER'],
    ['BAD_DQ_ESCAPE'],
    ['BAD_INDENT'],
    ['BAD_PROP_ORDER'],
    ['BAD_SCALAR_START'],
    ['BLOCK_AS_IMPLICIT_KEY'],
    ['BLOCK_IN_FLOW'],
    ['COLON_IN_FLOW'],
    ['COLON_IN_VALUE'],
    ['CONFLICT'],
    ['KEY_OVER_1024_CHARS'],
    ['LIST_IN_LINE'],
    ['MAP_AND_LIST'],
    ['MISSING_CHAR'],
    ['MULTIPLE_ANCHORS'],
    ['NO_COLON'],
    ['NO_SPACE_AFTER_COLON'],
    ['NO_SPACE_AFTER_DASH'],
    ['NO_SPACE_BEFORE_HASH'],
    ['STRAY_BRACKET'],
    ['TAB_AS_INDENT'],
    ['TEXT_AFTER_ALIAS'],
    ['TEXT_AFTER_BRACKET'],
    ['TEXT_AFTER_QUOTE'],
    ['UNCLOSED_BRACKET'],
    ['UNCLOSED_QUOTE'],
    ['VARIABLE_UNQUOTED'],
    ['ANOTHER_CODE']
  ],
  YAML_TOO_LARGE: [
    ['depth', 64],
    ['keys', 5000],
    ['nodes', 200_000],
    ['aliases', 200_000],
    ['tokens', 1_000_000]
  ],
  YAML_SEVERAL_DOCUMENTS: [[]],
  YAML_MERGE_KEY: [['<<']],
  ALIAS_UNKNOWN: [[]],
  ALIAS_CYCLE: [[]],
  DUPLICATE_KEY: [['guest']],
  KEY_FORBIDDEN: [['__proto__']],
  KEY_NOT_TEXT: [['1']],
  NUMBER_TOO_LARGE: [[], ['9007199254740993']],
  NUMBER_LEADING_ZERO: [[]],
  WRONG_TYPE: [
    ['a text', 'a number'],
    ['a map', 'a list']
  ],
  VALUE_MISSING: [['a map', '{}']],
  UNKNOWN_KEY: [
    ['wlan', 'wlans', ['site', 'wlans']],
    ['x', undefined, ['site', 'wlans']]
  ],
  NAME_TWICE: [
    ['profile', 'guest-base', 'profiles.yaml'],
    ['wave', 'canary']
  ],
  NAME_UNKNOWN: [
    ['profile', 'guest-bas', 'guest-base'],
    ['lint rule', 'foo']
  ],
  KEY_MISSING: [
    ['site', 'id', 'add the UUID of the site in the service'],
    ['freeze', 'reason']
  ],
  KEY_NOT_ALLOWED: [['$managed', 'a profile', ['$extends', '$match']]],
  TOO_MANY: [['policy', 100, 'rules', 'combine some of them with `allOf`']],
  TIME_INVALID: [
    ['a date', 'tomorrow'],
    ['a date and time', 'tomorrow'],
    ['a time of day', '10 pm']
  ],
  YAML_UNSUPPORTED: [['tag'], ['directive']],
  NAME_UNFIT: [['a/b', 'it has a slash']],
  ID_NOT_UUID: [[]],
  EMPTY_FLEET: [[]],
  FLEET_TOO_LARGE: [
    ['files', 20_000],
    ['entries', 200_000],
    ['bytes', 1_073_741_824],
    ['nodes', 20_000_000],
    ['sites', 200_000],
    ['wlans', 1_500_000],
    ['seconds', 60]
  ],
  NOTHING_SELECTED: [
    ['site', 'store-9*'],
    ['WLAN', 'gest', 'guest']
  ],
  BASE_POLICY_WRONG: [
    [
      'origin/main',
      { message: 'expected an integer, got a string', place: { file: 'policy.yaml', line: 3 } }
    ]
  ],
  BASE_WRONG: [
    ['origin/main'],
    [
      'origin/main',
      {
        message: 'the file is empty',
        place: { file: 'hq.yaml', line: 3 }
      }
    ]
  ],
  SITE_AND_SITES: [[]],
  WLANS_WITHOUT_SITE: [[]],
  SITE_NAME_TAKEN: [['hq', '4ac1dcf4-9d8b-4211-95c4-057819f0862b']],
  SITE_ID_TWICE: [['4ac1dcf4-9d8b-4211-95c4-057819f0862b', 3]],
  SITE_CONTRADICTS: [['name', 'sites/hq.yaml']],
  WLAN_KEY_TWICE: [['guest', 'sites/hq.yaml']],
  WLAN_UNIDENTIFIED: [[]],
  MATCH_WITHOUT_SSID: [[]],
  PROFILE_CYCLE: [[['a', 'b', 'a']]],
  PROFILE_TOO_DEEP: [[32]],
  EXTENDS_TWICE: [['guest-base']],
  OVERRIDE_UNKNOWN: [['gest', 'guest'], ['gest']],
  UNSET_UNDECLARED: [['dtmi', 'dtim'], ['dtmi']],
  UNSET_IN_LIST: [['/auth_servers/0']],
  DEFAULT_ALONE: [[]],
  VARIABLE_UNKNOWN: [
    ['guest_vlan', undefined, OF_ONE],
    ['guest_vln', 'guest_vlan', OF_MANY]
  ],
  VARIABLE_IN_VARIABLE: [['name']],
  FORMAT_BROKEN: [[]],
  FORMAT_TOO_LONG: [[10_000]],
  FORMAT_NOT_TEXT: [['servers']],
  REFERENCE_UNKNOWN: [['$vars', '$var'], ['$foo']],
  REFERENCE_NOT_ALONE: [
    ['$env', 'key'],
    ['$env', '$versoin', '$version']
  ],
  WAIVER_EXPIRED: [['guest-traffic-untagged', '2026-01-31']],
  WAIVER_UNUSED: [['guest-traffic-untagged']],
  POLICY_TWICE: [['policy.yaml']],
  NOT_A_CHOICE: [['off', ['error', 'warn']]],
  RULE_FIELD_UNKNOWN: [
    ['own-vlan', 'vlanid', 'vlan_id', 'error'],
    ['own-vlan', 'xyzzy', undefined, 'warn'],
    ['own-vlan', 'psk', undefined, 'error', ['auth.psk']]
  ],
  RULE_UNUSED: [['own-vlan']],
  RULE_FAILED: [['own-vlan', 'a text of 90000 characters is too long for a pattern']],
  TEST_INVALID: [
    ['one guest network', 'another test has this name'],
    ['guests are isolated', 'unknown field "isolaton"', 'did you mean isolation?']
  ],
  TEST_CANNOT_FAIL: [
    ['one guest network', '`count` accepts every number; give `max`, or a `min` above 0'],
    ['guests are the same', 'no WLAN is "gest"', 'guest']
  ],
  TEST_FAILED: [
    [
      'one guest network',
      '1 WLAN at each of 40 sites',
      '0 at store-007',
      '`count: { min: 0, max: 1 }` would hold'
    ]
  ],
  RULE_INVALID: [['own-vlan', '`pattern` must be a text, and is a number']],
  RULE: [
    ['own-vlan', 'VLAN 1 is for the switches', 'error'],
    ['own-vlan', 'VLAN 1 is for the switches', 'warning', 'vlan']
  ],
  RULE_BROKEN_OFTEN: [['own-vlan', 12, 'error']],
  LINT: [
    [
      {
        level: 'error',
        message: '802.1X has no RADIUS server: auth.type is "eap" (declared)',
        advice: 'declare `auth_servers`, or turn on `mist_nac` or `radsec`',
        existing: false
      }
    ],
    [{ level: 'warning', message: 'a', advice: 'b', existing: true }]
  ],
  RELATIONS_NOT_CHECKED: [
    [['same-ssid-other-security'], ['--shard']],
    [
      ['same-ssid-other-security', 'ssid-lookalike'],
      ['--site', '--changed-since']
    ]
  ],
  WAVE_KEYS: [[['canary', 'pilots']], [[]]],
  WAVE_PERCENT: [[]],
  WAVE_SHRINKS: [[10, 50]],
  WAVE_WITHOUT_SITES: [[]],
  WAVE_FITS_NO_SITE: [
    ['store-9*', undefined],
    ['store-1', 'store-01']
  ],
  WAVE_EMPTY: [['rest']],
  GLOBS_TOO_LARGE: [[]],
  FIELD_UNKNOWN: [
    ['vlanid', 'vlan_id'],
    ['foo', undefined, OF_ONE]
  ],
  FIELD_MISSING: [['host']],
  FIELD_TYPE: [
    [['integer'], 'yes'],
    [['boolean'], 'yes'],
    [['boolean'], 'no', OF_MANY],
    [['string'], 20],
    [['integer', 'null'], '20'],
    [['object'], null],
    [['array'], 1]
  ],
  FIELD_VALUE_UNKNOWN: [
    ['eap-192', ['eap', 'eap192', 'open', 'psk'], 'eap192'],
    [7, ['1', '2']]
  ],
  FIELD_RANGE: [
    [{ minimum: 1, maximum: 4094 }],
    [{ minimum: 0 }, 'seconds'],
    [{ maximum: 3 }, 'seconds', OF_SEVERAL]
  ],
  FIELD_LENGTH: [[{ maximum: 48 }]],
  FIELD_COUNT: [[{ maximum: 4 }]],
  FIELD_PATTERN: [['a UUID', undefined, 'floor-2']],
  FIELD_READ_ONLY: [['created_time']],
  FIELD_DEPRECATED: [['band']],
  SSID_INVALID: [['it has more than 32 bytes']],
  SSID_JOINER: [[]],
  SECRET_IN_CLEAR: [[], [OF_ONE]],
  SECRET_MISPLACED: [[]],
  SECRET_REFERENCE: [['its name does not start with WLAN_SECRET_']],
  SECRET_UNRESOLVED: [['WLAN_SECRET_GUEST_PSK', 'the variable is not set']],
  SECRET_VERSION: [['a whole number of 1 or more']],
  SECRET_INVALID: [['8 to 63 printable ASCII characters, or 64 hexadecimal digits']],
  WLAN_TOO_LARGE: [[20_000]],
  MORE_WARNINGS: [[100, 20]],
  MORE_REFUSALS: [[100, 20]],
  TOO_MANY_ERRORS: [
    [100, 0],
    [100, 20]
  ],
  TIME_ORDER: [['2026-12-07T06:00', '2026-12-04T18:00']],
  WINDOW_EMPTY: [['nights']],
  TIMEZONE_MISSING: [[['hq']], [['a', 'b', 'c', 'd']]],
  TIMEZONE_UNKNOWN: [['Europe/Berlinn'], [undefined]]
}

/** Fixes for the reference, of findings without a hint, or with a hint about the details only. */
export const fixes: { readonly [C in FindingCode]?: string } = {
  WLAN_NOT_FOUND:
    'Correct the SSID or the `id`, or create the WLAN in the service with the settings that `wlanctl explain ADDRESS --as worksheet` prints: wlanctl creates none. To rename a live WLAN, add `$match: { ssid: … }`.',
  UNKNOWN_KEY: 'Correct or remove the key. Fields of the service belong into a WLAN or a profile.',
  REFERENCE_UNKNOWN: 'Use `$var`, `$format`, `$env` or `$file`; quote a text that starts with `$`.',
  FIELD_UNKNOWN:
    'Correct the name. If the service is newer than this version of wlanctl, set `policy.unknown_fields` to `warn`.',
  ORG_NOT_READ: 'Give the token the right to list sites, or remove `policy.org`.',
  SITE_NOT_READ:
    'Run `wlanctl doctor`, which checks the address, TLS and the token. After a 403 or 404, give the token access to the site, or correct the `id`; after a 5xx or a timeout, try again later.',
  NOT_RESTORED:
    'Nothing, if that is as it should be: `revert --to` neither creates nor deletes, and sends no secret and no unknown value.',
  IMPORT_TOO_LARGE: 'Manage this WLAN in the service itself.',
  IMPORT_NOT_FACTORED:
    'Use the files as they are, or fix the cause in the message and import again.',
  IMPORT_GROUP_UNUSED:
    'Correct the glob: the values that sites share are in `groups.yaml`, or in the variables of the sites.',
  NAME_TWICE: 'Rename or remove one of the two.',
  NAME_UNKNOWN: 'Correct the name, or declare it.',
  KEY_MISSING: 'Add the key.',
  FILE_UNREADABLE: 'Fix the cause in the message: the permissions of the file, or its link.',
  FILE_EMPTY: 'Remove the file, or declare something in it.',
  YAML_SYNTAX: 'Correct the YAML at the place in the message.',
  ALIAS_CYCLE: 'Move the anchor to a value that does not contain the alias.',
  KEY_FORBIDDEN: 'Rename the key.',
  NAME_UNFIT: 'Choose another name.',
  POLICY_TWICE: 'Move both into one `policy`: a fleet has one.',
  SITE_NAME_TAKEN: 'Rename one of the two sites: the name is unique in the fleet.',
  WLAN_KEY_TWICE: 'Rename or remove one of the two: the key of a WLAN is unique in its site.',
  SECRET_UNRESOLVED:
    'Set the variable, or create the file below `--secrets-dir`. Without it the field is not compared, and `apply` refuses.',
  MATCH_WITHOUT_SSID: 'Write `$match: { ssid: … }`.',
  DEFAULT_ALONE: 'Add the `$var`, or remove the `$default`.',
  PROFILE_CYCLE: 'Remove one of these `$extends`.',
  PROFILE_TOO_DEEP: 'Merge some of these profiles.',
  EXTENDS_TWICE: 'Remove all but the last of these names: later profiles override earlier ones.',
  FORMAT_TOO_LONG: 'Shorten the text or its variables.',
  FORMAT_NOT_TEXT:
    'Use a variable with a text, a number or a boolean, or take the whole value with `$var`.',
  REFERENCE_NOT_ALONE: 'Remove the other keys of this map.',
  NOT_A_CHOICE: 'Use one of the listed values.',
  TEST_INVALID: 'Correct the test.',
  TEST_CANNOT_FAIL: 'Correct what the test selects or expects, so that it can fail.',
  TEST_FAILED: 'Correct the fleet; or the test, if the fleet is as it should be.',
  RULE_INVALID: 'Correct the JSON Schema of the rule.',
  RULE: 'Change the WLAN so that it satisfies the rule, or change the rule.',
  RULE_BROKEN_OFTEN: 'Fix the listed violations; the others are the same.',
  RELATIONS_NOT_CHECKED: 'Run `validate` or `plan` over the whole fleet.',
  WAVE_FITS_NO_SITE: 'Correct or remove the glob.',
  FIELD_MISSING: 'Add the member.',
  FIELD_TYPE: 'Write a value of the expected type.',
  FIELD_VALUE_UNKNOWN:
    'Use a known value. If the service is newer than this version of wlanctl, set `policy.unknown_values` to `warn`.',
  FIELD_RANGE: 'Write a value in the range.',
  FIELD_LENGTH: 'Write a text of this length.',
  FIELD_COUNT: 'Write a list of this length.',
  FIELD_PATTERN: 'Write a value of this form.',
  FIELD_DEPRECATED: 'Use the field that replaces it; its description names it.',
  SSID_INVALID: 'Use 1 to 32 bytes of UTF-8 without control characters.',
  SSID_JOINER: 'Remove the joiner unless it is part of an emoji.',
  SECRET_REFERENCE:
    'Use a name that starts with `WLAN_SECRET_`, or a file below `--secrets-dir`. `--secret-prefix` sets another prefix.',
  SECRET_INVALID: 'Correct the secret in its source. Its value is never shown.',
  WLAN_TOO_LARGE: 'Declare less in the WLAN, its profiles and variables.',
  MORE_WARNINGS: 'Fix the listed warnings first.',
  MORE_REFUSALS: 'Fix the listed refusals first.',
  TIME_ORDER: 'Correct one of the two times.'
}
