import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { corp, HQ } from '../simulator/simulate.ts'
import { folder, start, wlanctl } from '../support/program.ts'
import { hqFile, type Stage, stage } from '../support/stage.ts'

/** Texts with an effect on a terminal, in a log, or on a CI runner. */
const texts: readonly string[] = [
  '::error file=x::pwned\n::error::pwned\r\npwned',
  '##[error]pwned ##vso[task.complete]\u001b]0;title\u0007\u001b[2J\u001b[31mpwned',
  ' \t::add-mask::\u202egnp.Gu\u200best\u00ad\ufeff\u034f\ue000\ud800pwned',
  '\u2028::warning::\u0085pwned\u009b31mpwned'
]

/** Expects output without control characters or workflow commands, and no line that the text begins. */
function expectHarmless(...outputs: readonly string[]): void {
  for (const output of outputs) {
    expect(output).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u)
    expect(output).not.toMatch(/##\w*\[/)
    expect(output).not.toMatch(/^\s*::/m)
    expect(output).not.toMatch(/^pwned/m)
  }
}

/** Runs a line in both formats; a text with spaces is one argument. */
async function outputsOf(
  { cwd, env: given }: Pick<Stage, 'cwd' | 'env'>,
  argv: readonly string[],
  change: Readonly<Record<string, string>> = {}
): Promise<string[]> {
  const outputs: string[] = []
  for (const format of ['text', 'json']) {
    const options = { cwd, env: { ...given, ...change, WLANCTL_FORMAT: format } }
    const { code, stdout, stderr } = await wlanctl(argv, options)
    expect(stderr).not.toContain('this is a bug')
    expect(code).not.toBe(1)
    outputs.push(stdout, stderr)
  }
  return outputs
}

/** YAML for a text, whatever it contains. */
const quoted = (text: string) => JSON.stringify(text)

describe.each(texts.map(text => [text]))('%j', text => {
  it('is escaped in the name of a fleet file', async () => {
    const { cwd, env } = await stage()
    writeFileSync(join(cwd, 'fleet', `${text}.yaml`), 'nonsense: 1\n')
    mkdirSync(join(cwd, 'fleet', text))
    writeFileSync(join(cwd, 'fleet', text, 'b.yaml'), `site: { id: ${HQ} }\nwlans: { a: {} }\n`)
    for (const command of ['validate', 'plan']) {
      const outputs = await outputsOf({ cwd, env }, [command, 'fleet'])
      expect(outputs.join()).toContain('pwned.yaml')
      expectHarmless(...outputs)
    }
  })

  it('is escaped in names, keys and values of a fleet file', async () => {
    const { cwd, env, write } = await stage()
    const t = quoted(text)
    write(
      'fleet/a.yaml',
      `site: { id: ${t}, name: ${t}, vars: { ${t}: ${t} } }\n${t}: 1\nprofiles: { ${t}: { ${t}: ${t}, $extends: ${t} } }\n` +
        `wlans:\n  ${t}: { ssid: ${t}, $extends: ${t}, auth: { type: ${t}, psk: { $env: ${t} } }, roam_mode: ${t} }\n` +
        `  a: { ssid: { $var: ${t} }, vlan_id: { $format: ${t} }, auth: { psk: { $file: ${t} } }, bands: [${t}] }\n` +
        `policy: { ${t}: 1, unmanaged: ${t} }\n`
    )
    write('fleet/b.yaml', `wlans: !${text.replace(/\s/g, '')} [\n`)
    expectHarmless(...(await outputsOf({ cwd, env }, ['validate', 'fleet'])))
  })

  it('is escaped in names and values of the service', async () => {
    const odd = { ...corp, id: '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b09', ssid: text, [text]: text }
    const sites = [{ id: HQ, name: 'hq', wlans: [{ ...corp, ssid: text, hostname_ie: text }, odd] }]
    const { cwd, env, write } = await stage({ sites: sites as never })
    const yaml = (ssid: string) =>
      hqFile(`{ corp: { id: ${corp.id}, ssid: ${ssid} }, other: { ssid: ${ssid}r } }`)
    write('fleet/hq.yaml', yaml('Corp'))
    for (const command of ['plan', 'drift']) {
      const files = ['--report', 'json=r.json', '--report', 'text=r.txt', '--verbose']
      const outputs = await outputsOf({ cwd, env }, [command, 'fleet', ...files])
      expect(outputs.join()).toContain('pwned')
      expectHarmless(...outputs)
    }
    const saved = await wlanctl(['plan', 'fleet', '--out', 'plan.json'], { cwd, env })
    expect(saved.code).toBe(5)
    for (const file of ['r.json', 'r.txt', 'plan.json']) expectHarmless(readText(cwd, file))
  })

  it('is escaped in an error message of the service', async () => {
    const { cwd, env, simulator } = await stage()
    const bodies = [JSON.stringify({ detail: text }), text, `<title>${text}</title>`]
    for (const body of bodies) {
      const answer = { status: 400, body }
      simulator.set({ fail: [{ path: 'wlans', times: 'always', answer }] })
      expectHarmless(...(await outputsOf({ cwd, env }, ['plan', 'fleet', '--verbose'])))
      simulator.set({ fail: [{ path: 'wlans', method: 'PUT', times: 'always', answer }] })
      expectHarmless(...(await outputsOf({ cwd, env }, ['apply', 'fleet', '--yes'])))
    }
  })

  it('is escaped in an argument or an environment variable', async () => {
    const { cwd, env } = await stage()
    const calls: readonly (readonly string[])[] = [
      [text],
      ['plan', text],
      ['plan', 'fleet', text],
      ['plan', `--${text}`],
      ['plan', `--format`, text],
      ['plan', '--parallelism', text],
      ['plan', 'fleet', '--site', text],
      ['plan', 'fleet', '--report', `json=${text}/x`],
      ['plan', 'fleet', '--base-url', text],
      ['plan', 'fleet', '--token-file', text],
      ['show', text],
      ['schema', text],
      ['completion', text],
      ['token', text],
      ['simulate', '--seed', text]
    ]
    const variables = [
      'BASE_URL',
      'API_TOKEN',
      'TOKEN_FILE',
      'SECRET_PREFIX',
      'SECRETS_DIR',
      'SECRETS_FILE',
      'TIMEOUT'
    ]
    const outputs: string[] = []
    for (const argv of calls) {
      const { code, stdout, stderr } = await wlanctl(argv, { cwd, env })
      expect({ argv, code }).toEqual({ argv, code: 3 })
      outputs.push(stdout, stderr)
    }
    for (const name of variables) {
      const change = { [`WLANCTL_${name}`]: text }
      const { stdout, stderr } = await wlanctl(['plan', 'fleet'], {
        cwd,
        env: { ...env, ...change }
      })
      outputs.push(stdout, stderr)
    }
    expect(outputs.join()).not.toContain('this is a bug')
    expectHarmless(...outputs)
  })
})

it('is escaped in the token of the embedded service', async () => {
  const running = start(['simulate', '--token', "##[x]'pwned"], { cwd: folder() })
  await running.until(/Ctrl-C ends it/)
  running.signal('SIGINT')
  const { stdout } = await running.ended
  expect(stdout).toContain("export WLANCTL_API_TOKEN='#\\u{23}[x]'\\''pwned'")
  expectHarmless(stdout)
})

it.each(texts.map(text => [text]))('%j in an internal error is escaped', async text => {
  const { run } = await stage()
  const now = () => {
    throw new TypeError(`${text}\n    at ${text}`)
  }
  const { code, stderr } = await run('plan fleet', {}, { now })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('please report') })
  expectHarmless(stderr)
  expect(
    stderr
      .split('\n')
      .slice(2, -1)
      .every(line => line.startsWith('    at '))
  ).toBe(true)
})

function readText(cwd: string, file: string): string {
  return readFileSync(join(cwd, file), 'utf8')
}
