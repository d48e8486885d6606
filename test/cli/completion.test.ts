import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, shell, wlanctl } from '../support/program.ts'

const scriptOf = async (name: string) =>
  (await wlanctl(['completion', name], { cwd: folder() })).stdout

describe('completion', () => {
  it.each([
    [
      '',
      'validate plan apply drift snapshot show merge revert import adopt doctor token simulate demo schema completion help'
    ],
    ['pl', 'plan'],
    ['token ', 'create list help'],
    ['token create --o', '--out'],
    ['schema ', 'fleet wlan plan record snapshot outcomes'],
    ['schema f', 'fleet'],
    ['plan fleet --detail', '--detailed-exitcode'],
    [
      'apply --max',
      '--max-new-sites --max-attempts --max-wait --max-requests --max-plan-age --max-changes --max-impact'
    ],
    ['drift . --base', '--base --base-url'],
    ['validate --base', '']
  ])('of bash offers, after `wlanctl %s`: %s', async (line, offered) => {
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
    const isAsked = (word: string) => word !== '' && word.startsWith('--') === line.includes(' --')
    expect(reply.split(' ').filter(isAsked)).toEqual(offered.split(' ').filter(isAsked))
  })

  it('of zsh is that of bash, by the means zsh has for it', async () => {
    const [head, ...rest] = (await scriptOf('zsh')).split('\n')
    expect(head).toBe('#compdef wlanctl')
    expect(rest.join('\n')).toContain('autoload -U +X bashcompinit && bashcompinit')
    expect(rest.join('\n')).toContain(await scriptOf('bash'))
  })

  it('of fish is one well-formed line for each word', async () => {
    const lines = (await scriptOf('fish')).trimEnd().split('\n').slice(1)
    const quoted = "'(?:[^'\\\\]|\\\\.)*'"
    const form = new RegExp(
      `^complete -c wlanctl -n ${quoted} (?:-a ${quoted}|-l [a-z-]+(?: -r)?) -d ${quoted}$`
    )
    for (const line of lines) expect(line).toMatch(form)
    expect(lines).toContainEqual(expect.stringContaining("-a 'plan' -d 'show what apply would do'"))
    expect(lines).toContainEqual(expect.stringMatching(/from apply' -l verify-timeout -r/))
  })
})
