import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readSchema, strictAjv } from '../schemas/schemas.ts'
import { HQ_ALONE, lines, load } from './fleet.ts'

const validate = strictAjv().compile(readSchema('fleet.schema.json'))

/** A fleet of the site `hq` whose policy has this rollout; `[` begins the eleventh column of line 1. */
const fleet = (rollout: string) => ({
  'hq.yaml': HQ_ALONE,
  'p.yaml': `policy: { rollout: ${rollout} }\n`
})

const long = 'n'.repeat(101)
const waves = (n: number) =>
  `[${Array.from({ length: n }, (_, at) => `{ w${at}: hq }`).join(', ')}]`

describe('a rollout', () => {
  it.each([
    ['a canary of one site', '[{ canary: hq }]'],
    ['a canary by its id', '[{ canary: 4AC1DCF4-9d8b-4211-95c4-057819f0862b }]'],
    ['several globs', '[{ canary: [h*, "?q"] }]'],
    ['percentages that grow', '[{ few: 10% }, { half: "50%" }, { all: 100% }]'],
    ['the rest', '[{ all: "*" }]'],
    ['a name with a percent sign inside', '[{ "50% off": h* }]'],
    ['none', '[]'],
    ['waves with a pause', '{ waves: [{ canary: hq }], pause: 300 }'],
    ['a pause alone', '{ pause: 300 }'],
    ['no pause', '{ waves: [{ all: "*" }], pause: 0 }'],
    ['all settings', '{ pause: 1, check_timeout: 3, waves: [{ canary: hq }] }']
  ])('accepts %s', async (_, rollout) => {
    const { findings } = await load(fleet(rollout))
    expect(lines(findings).filter(line => !line.includes('WAVE_EMPTY?'))).toEqual([])
    expect(validate(parse(fleet(rollout)['p.yaml'])), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([
    ['no list', 'hq', '20 WRONG_TYPE policy.rollout'],
    ['a wave alone', '{ canary: hq }', '22 UNKNOWN_KEY policy.rollout.canary'],
    ['a pause of more than a day', '{ pause: 86401 }', '29 FIELD_RANGE policy.rollout.pause'],
    ['a check without time', '{ check_timeout: 0 }', '37 FIELD_RANGE policy.rollout.check_timeout'],
    ['a wave without a name', '[hq]', '21 WRONG_TYPE policy.rollout[0]'],
    ['a wave of nothing', '[{}]', '21 WAVE_KEYS policy.rollout[0]'],
    ['two waves in one', '[{ canary: hq, rest: "*" }]', '21 WAVE_KEYS policy.rollout[0]'],
    ['the long form', '[{ name: canary, sites: hq }]', '21 WAVE_KEYS policy.rollout[0]'],
    ['a name that starts with $', '[{ $all: hq }]', '23 NAME_UNFIT policy.rollout[0].$all'],
    ['a name too long', `[{ ${long}: hq }]`, `23 NAME_UNFIT policy.rollout[0].${long}`],
    ['a wave without sites', '[{ canary: }]', '31 WRONG_TYPE policy.rollout[0].canary'],
    ['an empty list', '[{ canary: [] }]', '31 WAVE_WITHOUT_SITES policy.rollout[0].canary'],
    ['an empty glob', '[{ canary: "" }]', '31 WAVE_WITHOUT_SITES policy.rollout[0].canary'],
    ['a number', '[{ half: 50 }]', '29 WRONG_TYPE policy.rollout[0].half'],
    ['no percent', '[{ half: 0% }]', '29 WAVE_PERCENT policy.rollout[0].half'],
    ['more than all', '[{ half: 101% }]', '29 WAVE_PERCENT policy.rollout[0].half'],
    ['a fraction', '[{ half: 12.5% }]', '29 WAVE_PERCENT policy.rollout[0].half'],
    ['a blank before the sign', '[{ half: 50 % }]', '29 WAVE_PERCENT policy.rollout[0].half'],
    [
      'a percentage among globs',
      '[{ half: [hq, 50%] }]',
      '34 WAVE_PERCENT policy.rollout[0].half[1]'
    ],
    ['a number among globs', '[{ half: [hq, 7] }]', '34 WRONG_TYPE policy.rollout[0].half[1]'],
    ['too many waves', waves(21), `${21 + waves(20).length} TOO_MANY policy.rollout[20]`]
  ])('rejects %s', async (_, rollout, ...expected) => {
    const { findings } = await load(fleet(rollout))
    expect(lines(findings)).toEqual(expected.map(line => `p.yaml:1:${line}`))
    expect(validate(parse(fleet(rollout)['p.yaml']))).toBe(false)
  })

  it.each([
    ['a name twice', '[{ a: hq }, { a: h* }]', '34 NAME_TWICE policy.rollout[1].a'],
    ['percentages that shrink', '[{ a: 50% }, { b: 10% }]', '38 WAVE_SHRINKS policy.rollout[1].b'],
    ['a percentage twice', '[{ a: 50% }, { b: 50% }]', '38 WAVE_SHRINKS policy.rollout[1].b']
  ])('rejects, beyond its schema, %s', async (_, rollout, expected) => {
    const { findings } = await load(fleet(rollout))
    expect(lines(findings)).toEqual([`p.yaml:1:${expected}`])
  })

  it('has no limit on its waves from a YAML alias', async () => {
    const { findings } = await load({
      'hq.yaml': HQ_ALONE,
      'p.yaml': 'policy:\n  rollout:\n    - all: *\n'
    })
    expect(lines(findings)[0]).toMatch(/^p\.yaml:3:\d+ /)
  })
})
