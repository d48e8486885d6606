import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, PROGRAM, startCommand, wlanctl } from '../support/program.ts'

/** A directory with a site `hq` with these WLANs in `fleet/`, a site `lab` in `other/`, and a file `record`. */
function staged(keys: readonly string[] = ['corp', 'guest']): string {
  const cwd = folder()
  writeSite(cwd, 'fleet/hq.yaml', '4ac1dcf4-9d8b-4211-95c4-057819f0862b', keys)
  writeSite(cwd, 'other/lab.yaml', '4ac1dcf4-9d8b-4211-95c4-057819f0862c', ['iot'])
  writeFileSync(join(cwd, 'record'), '')
  return cwd
}

function writeSite(cwd: string, file: string, id: string, keys: readonly string[]) {
  mkdirSync(join(cwd, dirname(file)))
  const site = `site: { id: ${id}, name: ${basename(file, '.yaml')} }`
  const wlans = keys.map(key => `  ${JSON.stringify(key)}: { ssid: ${JSON.stringify(key)} }`)
  writeFileSync(join(cwd, file), `${[site, 'wlans:', ...wlans].join('\n')}\n`)
}

async function complete(line: string, cwd = staged()) {
  const { stdout } = await wlanctl(['complete', '--', ...line.split(' ')], { cwd })
  return stdout.split('\n').slice(0, -1)
}

/** The candidates for the last word of a line, without their descriptions. */
async function candidates(line: string, cwd?: string): Promise<string> {
  return (await complete(line, cwd)).map(text => text.split('\t')[0]).join(' ')
}

describe('complete', () => {
  it.each([
    [
      '',
      'demo simulate audit list diff explain show init import doctor validate test plan apply drift adopt revert snapshot token schema ci completion help'
    ],
    ['pl', 'plan'],
    ['nonsense', ''],
    ['token ', 'create list help'],
    ['schema ', 'fleet wlan plan record snapshot outcomes audit diff'],
    ['plan ', ''],
    ['plan fleet --detail', '--detailed-exitcode'],
    ['apply --max', '--max-changes --max-impact --max-attempts --max-wait'],
    ['drift . --base', '--base --base-url'],
    ['validate --parallelism', ''],
    [
      'explain wlan_l',
      'wlan_limit_down wlan_limit_down_enabled wlan_limit_up wlan_limit_up_enabled'
    ],
    ['explain --f', '--fleet --format']
  ])('offers words after `wlanctl %s`: %s', async (line, expected) => {
    const sorted = (text: string) => text.split(' ').sort()
    expect(sorted(await candidates(line))).toEqual(sorted(expected))
  })

  it.each([
    ['plan fleet --format j', 'json'],
    ['plan --format=j', '--format=json'],
    ['apply --max-impact ', 'none guest-login reconnect some outage'],
    ['list --where auth.ow', 'auth.owe'],
    ['list --sort secu', 'security'],
    ['plan --report mark', 'markdown='],
    ['plan fleet --out ', ''],
    ['explain --fleet fleet --format ', 'text json']
  ])('offers values after `wlanctl %s`: %s', async (line, expected) => {
    expect(await candidates(line)).toBe(expected)
  })

  it.each([
    ['plan --format =', 'text json markdown html github'],
    ['plan --out x fleet --wlan = ', 'corp guest'],
    ['explain --fleet = fleet hq/g', 'hq/guest']
  ])('understands the words of bash in `wlanctl %s`: %s', async (line, expected) => {
    expect(await candidates(line)).toBe(expected)
  })

  it.each([
    ['plan fleet --site ', 'hq'],
    ['plan nowhere --site ', ''],
    ['apply fleet --wlan g', 'guest'],
    ['apply nowhere --yes fleet --site ', 'hq'],
    ['plan --out fleet --site ', 'hq lab'],
    ['revert record fleet --wlan c', 'corp'],
    ['explain --fleet=fleet hq/g', 'hq/guest'],
    ['explain --fleet fleet auth.ps', 'auth.psk'],
    ['explain --fleet fleet hq/corp hq/', 'hq/corp hq/guest'],
    ['explain lab', 'lab/iot']
  ])('offers names of the fleet after `wlanctl %s`: %s', async (line, expected) => {
    expect(await candidates(line)).toBe(expected)
  })

  it('describes commands and options', async () => {
    expect(await complete('pla')).toEqual(['plan\tshow what apply would do'])
    expect(await complete('schema --he')).toEqual([
      '--help\tshow help: -h the most important options, --help all'
    ])
  })

  it('offers no name of an invalid fleet', async () => {
    expect(await candidates('plan fleet --wlan ', staged(['a\u001bb', 'c']))).toBe('')
  })

  it('is not in the help', async () => {
    const { stdout } = await wlanctl(['--help'], { cwd: folder() })
    expect(stdout).not.toMatch(/^ {2}complete /m)
  })
})

/**
 * Completes the last word in each shell, by the script that `wlanctl completion` prints; the candidates are
 * printed as the shell would insert them, one per line.
 */
const shells = [
  [
    'bash',
    ['--norc', '-c'],
    `COMP_WORDS=(wlanctl plan fleet --wlan '') COMP_CWORD=4
     _wlanctl; printf '%s\\n' "\${COMPREPLY[@]}"`
  ],
  [
    'zsh',
    ['-f', '-c'],
    `words=(wlanctl plan fleet --wlan '') CURRENT=5
     compadd() { print -rl -- "\${(@q)names}" }
     _wlanctl`
  ],
  [
    'fish',
    ['--no-config', '-c'],
    `for name in (complete -C 'wlanctl plan fleet --wlan '); string escape $name; end`
  ]
] as const

const setup = {
  bash: 'source <(wlanctl completion bash)',
  zsh: 'compdef() { : }; source <(wlanctl completion zsh)',
  fish: 'wlanctl completion fish | source'
}

describe.each(shells)('completion of %s', (shell, options, script) => {
  const isInstalled = spawnSync(shell, ['--version']).error === undefined

  it.skipIf(!isInstalled)('offers names of the fleet, and never executes them', async () => {
    const cwd = staged(['a$(touch pwned)', 'b'])
    const program = join(cwd, 'wlanctl')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
      mode: 0o755
    })
    const line = `${setup[shell]}\n${script}`
    const { code, stdout, stderr } = await startCommand(shell, [...options, line], {
      cwd,
      env: { PATH: `${cwd}:${process.env['PATH']}` }
    }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replaceAll(/[\\']/g, '')).toBe('a$(touch pwned)\nb\n')
    expect(stdout).toMatch(/\\\$|'a\$/)
    expect(existsSync(join(cwd, 'pwned'))).toBe(false)
  })
})
