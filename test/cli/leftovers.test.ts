import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test, vi } from 'vitest'
import { leftoversBelow, leftoversIn, removeLeftovers } from '../../src/cli/files/leftovers.ts'
import { folder } from '../support/program.ts'
import { serve } from '../support/server.ts'
import { type Stage, stage } from '../support/stage.ts'

const NAME = /^\.wlanctl-tmp-[A-Za-z0-9]{6}$/

const temporaryIn = (cwd: string) => readdirSync(cwd).filter(name => NAME.test(name))

/** A run that has reserved its file, and waits for a service that does not respond. */
async function waiting({ startBuilt, cwd }: Stage, file = 'fleet/key') {
  const server = await serve(() => undefined)
  const running = startBuilt(`token create --out ${file} --base-url ${server.url}`)
  const where = join(cwd, file, '..')
  const files = () => temporaryIn(where).flatMap(name => readdirSync(join(where, name)))
  await vi.waitFor(() => expect(files()).toHaveLength(1), 20_000)
  return { running, where }
}

describe('a run that is killed during a write', () => {
  it('leaves a hidden directory with a known name, which doctor reports and the next run removes', async () => {
    const made = await stage()
    const { running, where } = await waiting(made)
    running.signal('SIGKILL')
    expect(await running.ended).toMatchObject({ code: null })
    const [left = ''] = temporaryIn(where)
    expect(readdirSync(where).sort()).toEqual([left, 'hq.yaml'])
    // The fleet is unchanged.
    expect(await made.run('validate fleet')).toMatchObject({ code: 0 })
    const checked = await made.run('doctor fleet')
    expect(checked).toMatchObject({ code: 0 })
    const output = checked.stdout.replace(/\s+/g, ' ')
    expect(output).toContain(`a killed run left fleet/${left}, which may hold secrets`)
    expect(output).toContain(`rm -r fleet/${left}`)
    expect(await made.run('plan fleet --out fleet/plan.json')).toMatchObject({ code: 0 })
    expect(readdirSync(where).sort()).toEqual(['hq.yaml', 'plan.json'])
    expect((await made.run('doctor fleet')).stdout).not.toContain('leftovers')
  })

  it('keeps the files that another run is writing', async () => {
    const made = await stage()
    const { running, where } = await waiting(made)
    expect(await made.run('plan fleet --out fleet/plan.json')).toMatchObject({ code: 0 })
    expect(temporaryIn(where)).toHaveLength(1)
    expect((await made.run('doctor fleet')).stdout).not.toContain('leftovers')
    running.signal('SIGKILL')
    await running.ended
  })
})

const HOURS = 3_600_000
const host = hostname().replace(/[^\w-]/g, '-')
/** A process id above the maximum of Linux. */
const gone = 2_000_000_000

describe('a leftover directory', () => {
  /** A directory, its content, its age in hours, and whether it is stale. */
  test.each<[string, string, readonly string[], number, boolean]>([
    ['of an ended process', '.wlanctl-tmp-abcDE1', [`${gone}-${host}`], 0, true],
    ['of a running process', '.wlanctl-tmp-abcDE1', [`${process.pid}-${host}`], 2, false],
    ['of a reused process id', '.wlanctl-tmp-abcDE1', [`${process.pid}-${host}`], 25, true],
    ['of another machine', '.wlanctl-tmp-abcDE1', [`${gone}-elsewhere`], 2, false],
    ['of another machine, long ago', '.wlanctl-tmp-abcDE1', [`${gone}-elsewhere`], 25, true],
    ['empty, just made', '.wlanctl-tmp-abcDE1', [], 0, false],
    ['empty and old', '.wlanctl-tmp-abcDE1', [], 2, true],
    ['with a file of another name', '.wlanctl-tmp-abcDE1', ['notes.txt'], 48, false],
    ['with more than one file', '.wlanctl-tmp-abcDE1', [`${gone}-${host}`, 'x'], 48, false],
    ['of another name', '.wlanctl-tmp-abc', [`${gone}-${host}`], 48, false],
    ['of a longer name', '.wlanctl-tmp-abcDE1x', [`${gone}-${host}`], 48, false]
  ])('is removed only if it is stale: %s', async (_, name, files, hours, stale) => {
    const cwd = folder()
    const path = join(cwd, name)
    mkdirSync(path)
    const time = new Date(Date.now() - hours * HOURS)
    for (const file of files) {
      writeFileSync(join(path, file), 'secret')
      utimesSync(join(path, file), time, time)
    }
    utimesSync(path, time, time)
    expect(await leftoversIn(cwd)).toEqual(stale ? [path] : [])
    await removeLeftovers(cwd)
    expect(existsSync(path)).toBe(!stale)
  })

  test('is not searched behind links, and no link is followed', async () => {
    const cwd = folder()
    mkdirSync(join(cwd, 'other/.wlanctl-tmp-abcDE1'), { recursive: true })
    writeFileSync(join(cwd, `other/.wlanctl-tmp-abcDE1/${gone}-${host}`), '')
    mkdirSync(join(cwd, 'fleet'))
    symlinkSync('../other', join(cwd, 'fleet/link'))
    symlinkSync('../other/.wlanctl-tmp-abcDE1', join(cwd, 'fleet/.wlanctl-tmp-abcDE2'))
    expect(await leftoversBelow(join(cwd, 'fleet'))).toEqual([])
    await removeLeftovers(join(cwd, 'fleet'))
    expect(await leftoversBelow(cwd)).toEqual([join(cwd, 'other/.wlanctl-tmp-abcDE1')])
  })
})
