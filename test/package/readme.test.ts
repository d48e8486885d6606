import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { folder, PROGRAM, ROOT, startBuilt, startCommand, wlanctl } from '../support/program.ts'
import { blocksOf, commandsOf, linksOf, normalised, type Shown } from './readme.ts'

/** Set to 1 to write into the README what the program prints, instead of comparing. */
const update = process.env['UPDATE_README'] === '1'
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

/**
 * npm, as far as a test may use it: it installs nothing into the checkout, builds nothing that other
 * tests are running, and does not start the tests anew.
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

describe('the README', () => {
  it('shows commands that run, and what they print', { timeout: 60_000 }, async () => {
    const cwd = folder()
    cpSync(join(ROOT, 'examples'), join(cwd, 'examples'), { recursive: true })
    writeFileSync(join(cwd, 'token'), 'demo-token-of-the-embedded-service\n')
    const home = folder()
    let url = ''
    let updated = readme
    const compare = ({ command, output }: Shown, printed: string) => {
      if (output === '') return
      const shown = printed.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:41373')
      updated = updated.replace(`$ ${command}\n${output}`, () => `$ ${command}\n${shown}`)
      if (!update) expect(normalised(printed)).toBe(normalised(output))
    }
    const session: string[] = [npm]
    for (const shown of commandsOf(readme)) {
      const { command } = shown
      if (/^wlanctl simulate\b/.test(command)) {
        const running = startBuilt(command.split(' ').slice(1), { cwd })
        await running.until(/Ctrl-C ends it/)
        url = /http:\S+/.exec(running.stdout)?.[0] ?? ''
        compare(shown, running.stdout)
        continue
      }
      const line = command.replaceAll(/https:\/\/api\.mist\.com|http:\/\/127\.0\.0\.1:\d+/g, url)
      const script = [...session, `{ ${line}; } 2>&1`].join('\n')
      const { code, stdout } = await startCommand('bash', ['-c', script], {
        cwd,
        env: { HOME: home }
      }).ended
      expect({ command, code, stdout }).toMatchObject({ command, code: 0 })
      compare(shown, stdout)
      if (/^(?:export|unset|set) /.test(command)) session.push(line)
    }
    if (update) writeFileSync(join(ROOT, 'README.md'), updated)
  })

  it('shows YAML that is valid, and the example as it is', async () => {
    const [example, ...others] = blocksOf(readme, 'yaml')
    expect(example).toBe(readFileSync(join(ROOT, 'examples/quickstart/hq.yaml'), 'utf8'))
    for (const yaml of others) {
      const cwd = folder()
      mkdirSync(join(cwd, 'fleet'))
      writeFileSync(join(cwd, 'fleet/a.yaml'), yaml)
      expect(await wlanctl(['validate', 'fleet'], { cwd })).toMatchObject({ code: 0 })
    }
  })

  it('links to what is there', () => {
    const missing = linksOf(readme).filter(target => !existsSync(join(ROOT, target)))
    expect(missing).toEqual([])
  })

  it('names every command, every exit code, and the version', async () => {
    const { stdout } = await wlanctl(['--help'], { cwd: folder() })
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\w/gm)].map(([, name = '']) => name)
    expect(commands.length).toBeGreaterThan(12)
    for (const name of commands) expect(readme).toMatch(new RegExp(`\`${name}[ \`]`))
    for (const code of [0, 1, 2, 3, 4, 5, 130])
      expect(readme).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'))
    expect(readme).toContain(`wlanctl-${packageJson.version}.tgz`)
  })
})
