import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, PROGRAM, shell, startCommand, wlanctl } from '../support/program.ts'

const scriptOf = async (name: string) =>
  (await wlanctl(['completion', name], { cwd: folder() })).stdout

describe('completion', () => {
  it.each([
    [
      '',
      'validate plan apply drift snapshot show revert init import audit adopt doctor explain token simulate demo schema completion help'
    ],
    ['pl', 'plan'],
    ['token ', 'create list help'],
    ['token create --o', '--out'],
    ['schema ', 'fleet wlan plan record snapshot outcomes audit'],
    ['schema f', 'fleet'],
    [
      'explain wlan_l',
      'wlan_limit_down wlan_limit_down_enabled wlan_limit_up wlan_limit_up_enabled'
    ],
    ['explain --f', '--fleet --format'],
    ['plan fleet --detail', '--detailed-exitcode'],
    [
      'apply --max',
      '--max-new-sites --max-attempts --max-wait --max-requests --max-plan-age --max-changes --max-impact --max-clients'
    ],
    ['drift . --base', '--base --base-url'],
    ['validate --base', '--base'],
    ['validate --parallelism', '']
  ])('of bash after `wlanctl %s` offers: %s', async (line, offered) => {
    const cwd = folder()
    writeFileSync(join(cwd, 'script'), await scriptOf('bash'))
    const words = `wlanctl ${line}`.split(' ')
    const { code, stdout, stderr } = await shell(
      `source ./script
       COMP_WORDS=(${words.map(word => `"${word}"`).join(' ')}) COMP_CWORD=${words.length - 1}
       _wlanctl; echo "\${COMPREPLY[@]}"; complete -p wlanctl`,
      { cwd }
    )
    const [reply = '', registered] = stdout.split('\n')
    expect({ code, stderr, registered }).toEqual({
      code: 0,
      stderr: '',
      registered: 'complete -o default -F _wlanctl wlanctl'
    })
    const isAsked = (word: string) => word !== '' && word.startsWith('-') === line.includes(' --')
    expect(reply.split(' ').filter(isAsked)).toEqual(offered.split(' ').filter(isAsked))
  })

  it('of zsh uses the bash script through bashcompinit', async () => {
    const [head, ...rest] = (await scriptOf('zsh')).split('\n')
    expect(head).toBe('#compdef wlanctl')
    expect(rest.join('\n')).toContain('autoload -U +X bashcompinit && bashcompinit')
    expect(rest.join('\n')).toContain(await scriptOf('bash'))
  })

  it('of fish is one well-formed line per word', async () => {
    const script = await scriptOf('fish')
    const lines = script
      .slice(script.indexOf('\nend\n') + 5)
      .trimEnd()
      .split('\n')
    const quoted = "'(?:[^'\\\\]|\\\\.)*'"
    const form = new RegExp(
      `^complete -c wlanctl -n ${quoted} (?:(?:-f )?-a ${quoted}|-l [a-z-]+(?: -s [a-zA-Z])?(?: -r(?: -f -a ${quoted})?)?) -d ${quoted}$`
    )
    for (const line of lines) expect(line).toMatch(form)
    expect(lines).toContainEqual(expect.stringContaining("-a 'plan' -d 'show what apply would do'"))
    expect(lines).toContainEqual(expect.stringMatching(/from apply' -l verify-timeout -r -d/))
    expect(lines).toContainEqual(expect.stringMatching(/from apply' -l yes -s y -d/))
    expect(lines).toContainEqual(
      expect.stringContaining(
        "from apply' -l max-impact -r -f -a 'none guest-login reconnect some outage' -d"
      )
    )
    expect(lines).toContainEqual(
      expect.stringMatching(/from plan' -l site -r -f -a '\(wlanctl completion fish --values site /)
    )
  })
})

/**
 * The fleet that the fish script finds for a command line, in a directory with `fleet/` and a file `record`.
 */
async function fleetInFish(line: string): Promise<string> {
  const cwd = folder()
  mkdirSync(join(cwd, 'fleet'))
  writeFileSync(join(cwd, 'record'), '')
  writeFileSync(join(cwd, 'script'), await scriptOf('fish'))
  const { stdout, stderr } = await startCommand(
    'fish',
    [
      '--no-config',
      '-c',
      `source ./script; function commandline; string split ' ' -- $line; end
       set -g line '${line}'; __wlanctl_fleet`
    ],
    { cwd }
  ).ended
  expect(stderr).toBe('')
  return stdout.trimEnd()
}

const hasFish = spawnSync('fish', ['--version']).error === undefined

describe('completion of the fleet in fish', () => {
  const lines = [
    ['wlanctl plan', '.'],
    ['wlanctl plan fleet', 'fleet'],
    ['wlanctl plan nowhere', 'nowhere'],
    ['wlanctl apply --yes fleet', 'fleet'],
    ['wlanctl apply nowhere --yes fleet', 'fleet'],
    ['wlanctl drift --out fleet', '.'],
    ['wlanctl revert record fleet', 'fleet'],
    ['wlanctl revert record', '.'],
    ['wlanctl explain --fleet fleet hq/corp', 'fleet'],
    ['wlanctl explain --fleet=fleet hq/corp', 'fleet'],
    ['wlanctl explain hq/corp --fleet nowhere', 'nowhere']
  ] as const

  it.skipIf(!hasFish).each(lines)('of `%s` is %s', async (line, expected) => {
    expect(await fleetInFish(line)).toBe(expected)
  })

  it('does not complete the value of an option', async () => {
    const script = await scriptOf('fish')
    const [, flags = ''] = /contains -- "\$before" (.*)/.exec(script) ?? []
    expect(flags.split(' ')).toEqual(expect.arrayContaining(['--out', '--site', '--format']))
    expect(flags.split(' ')).not.toContain('--yes')
  })
})

/** The offers of the bash script for the last word of a line, in a directory with a fleet. */
async function offered(line: string, keys = ['corp', 'guest']) {
  const cwd = folder()
  mkdirSync(join(cwd, 'fleet'))
  const site = 'site: { id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b, name: hq }'
  const wlans = keys.map(key => `  ${JSON.stringify(key)}: { ssid: ${JSON.stringify(key)} }`)
  writeFileSync(join(cwd, 'fleet/hq.yaml'), `${[site, 'wlans:', ...wlans].join('\n')}\n`)
  writeFileSync(join(cwd, 'script'), await scriptOf('bash'))
  writeFileSync(join(cwd, 'wlanctl'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
  chmodSync(join(cwd, 'wlanctl'), 0o755)
  const words = ['wlanctl', ...line.split(' ')]
  const { stdout, stderr } = await shell(
    `source ./script; export PATH="$PWD:$PATH"
     COMP_WORDS=(${words.map(word => `"${word}"`).join(' ')}) COMP_CWORD=${words.length - 1}
     _wlanctl; echo "\${COMPREPLY[@]}"`,
    { cwd }
  )
  expect(stderr).toBe('')
  return { words: stdout.trim(), cwd }
}

describe('completion of values', () => {
  it.each([
    ['plan fleet --format j', 'json junit'],
    ['token list --format ', 'text json'],
    ['apply --max-impact ', 'none guest-login reconnect some outage'],
    ['plan --report prom', 'prometheus='],
    ['plan --format = js', 'json'],
    [
      'plan --format =',
      'text json markdown summary html github prometheus junit sarif codequality'
    ],
    ['plan fleet --out ', ''],
    ['apply fleet --site ', 'hq'],
    ['apply fleet --wlan g', 'guest'],
    ['drift --out x fleet --wlan = ', 'corp guest'],
    ['revert record.jsonl fleet --wlan c', 'corp'],
    ['plan nowhere --site ', ''],
    ['explain --fleet fleet hq', 'hq/corp hq/guest'],
    ['explain --fleet = fleet hq/g', 'hq/guest'],
    ['explain --fleet fleet hq/corp hq/', 'hq/corp hq/guest'],
    ['explain hq/', 'hq/corp hq/guest'],
    ['explain --fleet nowhere hq/', ''],
    ['explain --fleet fleet --format ', 'text json'],
    ['explain --fleet fleet auth.ps', 'auth.psk']
  ])('after `wlanctl %s` offers: %s', async (line, expected) => {
    expect((await offered(line)).words).toBe(expected)
  })

  it('never executes a name of the fleet', async () => {
    const { words, cwd } = await offered('plan fleet --wlan ', ['a$(touch pwned)', 'b'])
    expect(existsSync(join(cwd, 'pwned'))).toBe(false)
    expect(words === '' || words.includes('\\$')).toBe(true)
  })
})
