import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly engines?: { readonly node?: string }
}

const packages = Object.entries<Locked>(lock.packages).map(([path, locked]) => ({
  name: path.replace(/^.*node_modules\//, ''),
  ...locked
}))

type Version = readonly number[]

const parse = (text: string): Version => text.split('.').map(Number)

function compare(a: Version, b: Version): number {
  const at = [0, 1, 2].find(part => (a[part] ?? 0) !== (b[part] ?? 0))
  return at === undefined ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** True if a version is in a range of the forms `>=1.2`, `^1.2.3`, `1`, or several of them with `||`. */
function isIn(range: string, version: Version): boolean {
  return range.split('||').some(part => {
    const [, sign = '', least = ''] = /^\s*(>=|\^|)\s*(\d+(?:\.\d+){0,2})\s*$/.exec(part) ?? []
    if (least === '') throw new Error(`a range of another form: ${range}`)
    const isSameMajor = parse(least)[0] === version[0]
    return compare(version, parse(least)) >= 0 && (sign === '>=' || isSameMajor)
  })
}

/** The oldest supported version of each Node release line. */
const supported = packageJson.engines.node.split('||').map(range => range.replace(/[^\d.]/g, ''))

describe('`npm ci`', () => {
  it.each(supported)('installs only packages that support Node %s', version => {
    const refusing = packages.filter(
      ({ optional, engines }) => !optional && !isIn(engines?.node ?? '>=0', parse(version))
    )
    expect(refusing.map(({ name }) => name)).toEqual([])
  })

  it('runs no install script except of optional packages for other systems', () => {
    expect(packages.filter(each => each.hasInstallScript && !each.optional)).toEqual([])
  })

  it('uses the registry that the user has configured', () => {
    expect(packages.filter(({ resolved }) => resolved !== undefined)).toEqual([])
  })
})

it.each([
  ['>=18', '20.19.0', true],
  ['>= 20.19.1', '20.19.0', false],
  ['^20.19.0 || >=22.12.0', '22.11.0', false],
  ['^20.19.0 || >=22.12.0', '24.0.0', true],
  ['20 || >=22', '20.19.0', true],
  ['20 || >=22', '21.0.0', false]
])('the range %s contains %s: %s', (range, version, expected) => {
  expect(isIn(range, parse(version))).toBe(expected)
})
