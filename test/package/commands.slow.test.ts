import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { DEMO_TOKEN } from '../../src/simulator/server.ts'
import { simulate } from '../simulator/simulate.ts'
import { gitEnv } from '../support/git.ts'
import { folder, PROGRAM, ROOT, startCommand } from '../support/program.ts'
import {
  blocksOf,
  commandsOf,
  markdownFiles,
  normalised,
  type ShownCommand,
  textOf
} from './markdown.ts'

/** Set to 1 to write the output of the program into the documents instead of comparing it. */
const update = process.env['UPDATE_DOCUMENTS'] === '1'

/** The documents whose commands run in one session: each continues in the state of the previous one. */
const session = ['README.md', 'examples/tour.md', 'examples/README.md']

/** The document that asks for a new terminal, without the variables of the previous one. */
const inNewTerminal = 'examples/tour.md'

/**
 * A stub of npm: it installs nothing into the checkout, does not rebuild the program that other tests run,
 * and does not start the tests again.
 */
const npm = `npm() {
  case "$*" in
    ci) command npm ls --prefix '${ROOT}' >/dev/null ;;
    'run build') test -x '${PROGRAM}' ;;
    'run demo') node '${PROGRAM}' demo ;;
    pack) command npm pack --ignore-scripts --pack-destination . '${ROOT}' ;;
    'install --global '*) command npm install --offline --prefix "$HOME/prefix" "\${@:2}" ;;
    *) return 1 ;;
  esac
}
PATH="$HOME/prefix/bin:$PATH"`

describe('the documents', () => {
  it('contain commands that run, with their output', { timeout: 300_000 }, async () => {
    const cwd = folder()
    cpSync(join(ROOT, 'examples'), join(cwd, 'examples'), { recursive: true })
    writeFileSync(join(cwd, 'token'), `${DEMO_TOKEN}\n`)
    const home = folder()
    // The service that the commands take for the real one, until a document starts its own.
    const sites = generateFleet({ sites: 12, wlans: 4, seed: 1 })
    let { url } = (await simulate({ sites, token: DEMO_TOKEN })).simulator
    const exported: string[] = [npm]

    const outputOf = async (command: string): Promise<string> => {
      if (/^wlanctl simulate\b/.test(command)) {
        const argv = [PROGRAM, ...command.split(' ').slice(1)]
        const running = startCommand(process.execPath, argv, { cwd })
        await running.until(/Ctrl-C ends it/)
        url = /http:\S+/.exec(running.stdout)?.[0] ?? ''
        return running.stdout
      }
      const line = command.replaceAll(/https:\/\/api\.mist\.com|http:\/\/127\.0\.0\.1:\d+/g, url)
      const script = [...exported, `{ ${line}; } 2>&1`].join('\n')
      const options = { cwd, env: { HOME: home } }
      const { code, stdout } = await startCommand('bash', ['-c', script], options).ended
      expect({ command, code, stdout }).toMatchObject({ command, code: 0 })
      if (/^(?:export|unset|set) /.test(command)) exported.push(line)
      return stdout
    }

    for (const path of session) {
      if (path === inNewTerminal) exported.splice(1)
      let updated = textOf(path)
      const compare = ({ command, output }: ShownCommand, printed: string) => {
        if (output === '') return
        const shown = printed.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:41373')
        updated = updated.replace(`$ ${command}\n${output}`, () => `$ ${command}\n${shown}`)
        if (!update) expect(normalised(printed)).toBe(normalised(output))
      }
      for (const shown of commandsOf(updated)) compare(shown, await outputOf(shown.command))
      if (update) writeFileSync(join(ROOT, path), updated)
    }
  })

  it('have recipes for the second day that run', { timeout: 300_000 }, async () => {
    const cwd = folder()
    cpSync(join(ROOT, 'examples/day2'), join(cwd, 'examples/day2'), { recursive: true })
    const { sites } = readSeed(readFileSync(join(cwd, 'examples/day2/seed.json'), 'utf8'))
    const { url } = (await simulate({ sites, token: DEMO_TOKEN })).simulator
    const service = { WLANCTL_BASE_URL: url, WLANCTL_API_TOKEN: DEMO_TOKEN }
    const recipes = blocksOf(textOf('examples/day2/README.md'), 'sh')
    expect(recipes).toHaveLength(11)
    const program = `set -euo pipefail; wlanctl() { node '${PROGRAM}' "$@"; }`
    const script = [program, ...recipes].join('\n')
    const options = { cwd, env: { ...gitEnv, ...service } }
    const { code, stdout, stderr } = await startCommand('bash', ['-c', script], options).ended
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const line = '  - { id: 5b1f7c20-0000-4000-8000-000000000005, name: clinic-5 }'
    expect(stdout).toContain(`+++ sites/clinics.yaml\n+${line}\n`)
    expect(stdout).toMatch(/warning: 1 site overrides vlan_id and does not change .*: clinic-2 /)
    expect(stdout).toContain('Refused: too many changes')
    expect(stdout).toMatch(/\nNo drift: all 17 WLANs are as declared\n$/)
  })

  it('contain only commands of this session', () => {
    const withCommands = markdownFiles.filter(({ text }) => commandsOf(text).length > 0)
    expect(withCommands.map(({ path }) => path).sort()).toEqual([...session].sort())
  })
})
