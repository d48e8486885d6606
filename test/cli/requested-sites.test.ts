import { describe, expect, it } from 'vitest'
import { parseSiteList, resolveRequests } from '../../src/cli/import/requested-sites.ts'
import { HQ, nth } from '../support/ids.ts'

describe('the requested sites', () => {
  const source = 'the command line'

  it('are read from lines with an id and a name', () => {
    const text = `# ours\n\n${nth(1)} Head office \r\n${nth(2)},store-2\n  ${nth(3)}\n`
    expect(parseSiteList(text, 'f')).toEqual([
      { id: nth(1), name: 'Head office', source: 'f:3' },
      { id: nth(2), name: 'store-2', source: 'f:4' },
      { id: nth(3), name: '', source: 'f:5' }
    ])
  })

  it('get unique default names from their ids', () => {
    const ids = [nth(2), nth(2).toUpperCase(), nth(1), HQ]
    const result = resolveRequests(ids.map(id => ({ id, name: '', source })))
    expect(result).toMatchObject({
      sites: [{ name: 'site-4ac1dcf4' }, { name: `site-${nth(1)}` }, { name: `site-${nth(2)}` }]
    })
  })

  it('have files of their own, even if their names differ only in case', () => {
    const names = ['Store 1', 'store-1', 'STORE 1', 'Ctrl']
    const result = resolveRequests(names.map((name, n) => ({ id: nth(n), name, source })))
    const slugs = 'sites' in result ? result.sites.map(site => site.slug) : []
    expect(new Set(slugs)).toEqual(new Set(['store-1', 'store-1-2', 'store-1-3', 'ctrl']))
  })

  it.each([
    ['x a', '"x" is not a site id'],
    [`${nth(1)} a\u202eb`, 'is not a valid name'],
    [`${nth(1)} a\n${nth(1)} b`, 'another name'],
    [`${nth(1)} a\n${nth(2)} a`, 'also the name']
  ])('are rejected: %j', (lines, problem) => {
    const pairs = lines.split('\n').map(line => line.split(' '))
    const result = resolveRequests(pairs.map(([id = '', name = '']) => ({ id, name, source })))
    expect(result).toEqual({ problems: [expect.stringContaining(problem)] })
  })
})
