import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { folder, PROGRAM, ROOT, startCommand } from '../support/program.ts'
import { read } from './fake/workflow.ts'

/** Runs lines of shell in a copy of an example, with its service and the built program. */
async function example(name: string) {
  const directory = join(ROOT, 'examples', name)
  const sites = readSeed(readFileSync(join(directory, 'simulator.json'), 'utf8')).sites
  const { simulator } = await simulate({ sites })
  const cwd = folder()
  cpSync(directory, cwd, { recursive: true })
  const base = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  return {
    cwd,
    simulator,
    run: (script: string, env: Readonly<Record<string, string>> = {}) =>
      startCommand('bash', ['-euc', script], { cwd, env: { ...base, ...env } }).ended
  }
}

/** A dozen runs of the program, each in its own process. */
const long = { timeout: 120_000 }

describe('examples/kubernetes', long, () => {
  const files = ['drift', 'apply'].map(name => `examples/kubernetes/${name}.yaml`)
  const documents = files.flatMap(file => parseAllDocuments(read(file)))
  const objects = documents.map(document => document.toJS())
  const jobs = objects
    .filter(({ kind }) => kind === 'CronJob')
    .map(({ spec }) => spec.jobTemplate.spec)
  const [job] = jobs
  const [container, merging, applying] = jobs.map(({ template }) => template.spec.containers[0])
  const parts: string = container.env.find(({ name }: { name: string }) => name === 'PARTS').value
  const shell = ({ command }: { command: readonly string[] }, cwd: string) => {
    expect(command.slice(0, 2)).toEqual(['bash', '-euc'])
    const script =
      command[2]?.replace('wlanctl ', `node ${PROGRAM} `).replace('/fleet/checkout', '.') ?? ''
    return script.replaceAll(/\/(parts|records|secrets)(?=[/ ])/g, `${cwd}/$1`)
  }

  /** The retail fleet, read in shards on `day`; its reports are in `parts/DAY`. */
  async function retail() {
    const made = await example('retail')
    const { cwd, run } = made
    mkdirSync(join(cwd, 'parts'))
    const date = join(cwd, 'bin/date')
    mkdirSync(join(cwd, 'bin'))
    const on = (day: string) => ({ PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, DAY: day })
    writeFileSync(date, '#!/bin/sh\necho "$DAY"\n', { mode: 0o755 })
    const check = (index: number, day: string) =>
      run(shell(container, cwd), { ...on(day), PARTS: parts, JOB_COMPLETION_INDEX: String(index) })
    return {
      ...made,
      check,
      merge: (day: string) => run(shell(merging, cwd), on(day)),
      report: (day: string, name: string) => readFileSync(join(cwd, 'parts', day, name), 'utf8')
    }
  }

  it('is valid YAML with one shard per index, and an image of this version', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    expect(parts).toBe(String(job.completions))
    const images = files.flatMap(file => read(file).match(/image: .*/g) ?? [])
    expect(new Set(images)).toEqual(
      new Set([`image: registry.example.com/wlanctl:${packageJson.version}`])
    )
    expect(read('examples/kubernetes/Dockerfile')).toContain(`.git#v${packageJson.version}\n`)
  })

  it('reads each site of the retail example once, in shards, and merges one report', async () => {
    const { simulator, check, merge, report } = await retail()
    const day = '2026-11-21'
    for (let index = 0; index < job.completions; index++) {
      expect(await check(index, day)).toMatchObject({ code: 0 })
      const isLast = index === job.completions - 1
      expect(await merge(day)).toMatchObject({ code: isLast ? 2 : 3 })
    }
    const paths = simulator.requests.map(({ path }) => path)
    expect(paths).toHaveLength(30)
    expect(new Set(paths).size).toBe(30)
    const { code, stdout } = await merge(day)
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('on 30 sites') })
    expect(stdout).toMatch(/^Drift/m)
    expect(report(day, 'whole.html')).toContain('<html')
  })

  it('applies what differs, and keeps one record', async () => {
    const { cwd, run, simulator } = await example('github')
    mkdirSync(join(cwd, 'records'))
    mkdirSync(join(cwd, 'secrets'))
    // As `import --secrets-out` writes it: kubectl keeps the quotes of `--from-env-file`.
    const secrets = "WLAN_SECRET_GUEST_PSK='welcome-to-the-lobby'\n"
    writeFileSync(join(cwd, 'secrets/secrets.env'), secrets)
    const apply = () => run(shell(applying, cwd))
    expect(await apply()).toMatchObject({ code: 0 })
    expect(simulator.history.length).toBeGreaterThan(0)
    const sent = simulator.history.length
    expect(await apply()).toMatchObject({ code: 0 })
    expect(simulator.history).toHaveLength(sent)
    const [month = '', ...others] = readdirSync(join(cwd, 'records'))
    expect(others).toEqual([])
    const record = readFileSync(join(cwd, 'records', month, 'record.jsonl'), 'utf8')
    expect(record.match(/"step":"begin"/g)).toHaveLength(2)
    expect(record).toContain('"applied"')
  })

  it('passes the write token and the secrets to apply alone', () => {
    const holders = (name: string) =>
      objects
        .filter(each => JSON.stringify(each).match(`"(?:name|secretName)":"${name}"`))
        .map(each => each.metadata.name)
    expect(holders('wlanctl-write')).toEqual(['wlanctl-apply'])
    expect(holders('wlanctl-secrets')).toEqual(['wlanctl-apply'])
  })
})
