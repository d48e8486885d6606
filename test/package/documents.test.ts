import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { folder, PROGRAM, ROOT, start, startCommand, wlanctl } from '../support/program.ts'
import {
  anchorsOf,
  blocksOf,
  commandsOf,
  linksOf,
  markdownFiles,
  normalised,
  type ShownCommand,
  textOf
} from './markdown.ts'

/** Set to 1 to write the output of the program into the documents, instead of comparing. */
const update = process.env['UPDATE_DOCUMENTS'] === '1'

/** The documents with commands that run, in one session: each continues where the one before ends. */
const session = ['README.md', 'examples/README.md']

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

describe('the documents', () => {
  it('show commands that run, and their output', { timeout: 60_000 }, async () => {
    const cwd = folder()
    cpSync(join(ROOT, 'examples'), join(cwd, 'examples'), { recursive: true })
    writeFileSync(join(cwd, 'token'), 'demo-token-of-the-embedded-service\n')
    const home = folder()
    let url = ''
    const exported: string[] = [npm]

    const outputOf = async (command: string): Promise<string> => {
      if (/^wlanctl simulate\b/.test(command)) {
        const running = start(command.split(' ').slice(1), { cwd })
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

  it('with commands that run are all in the session', () => {
    const withCommands = markdownFiles.filter(({ text }) => commandsOf(text).length > 0)
    expect(withCommands.map(({ path }) => path).sort()).toEqual([...session].sort())
  })

  it('show YAML that is valid, and the example as it is', async () => {
    const [example] = blocksOf(textOf('examples/README.md'), 'yaml')
    expect(example).toBe(readFileSync(join(ROOT, 'examples/quickstart/hq.yaml'), 'utf8'))
    const blocks = markdownFiles.flatMap(({ text }) => blocksOf(text, 'yaml'))
    expect(blocks.length).toBeGreaterThan(1)
    for (const yaml of blocks) {
      const cwd = folder()
      mkdirSync(join(cwd, 'fleet'))
      writeFileSync(join(cwd, 'fleet/a.yaml'), yaml)
      expect(await wlanctl(['validate', 'fleet'], { cwd })).toMatchObject({ code: 0 })
    }
  })

  it.each(markdownFiles)('link to files and headings that exist: $path', ({ path, text }) => {
    const isBroken = (target: string) => {
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(join(ROOT, linked))) return true
      return anchor !== undefined && !anchorsOf(textOf(linked)).includes(anchor)
    }
    expect(linksOf(text).filter(isBroken)).toEqual([])
  })

  it('for users are all linked from the README or from each other', () => {
    const linked = markdownFiles.flatMap(({ path, text }) =>
      linksOf(text).map(target => normalize(join(dirname(path), target.split('#')[0] ?? '')))
    )
    const isUnlinked = (path: string) => !path.startsWith('test/') && !linked.includes(path)
    expect(markdownFiles.map(({ path }) => path).filter(isUnlinked)).toEqual(['README.md'])
  })
})

describe('the README', () => {
  it('names every command, every exit code, and the version', async () => {
    const readme = textOf('README.md')
    const { stdout } = await wlanctl(['--help'], { cwd: folder() })
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\w/gm)].map(([, name = '']) => name)
    expect(commands.length).toBeGreaterThan(12)
    for (const name of commands) expect(readme).toMatch(new RegExp(`\`${name}[ \`]`))
    for (const code of [0, 1, 2, 3, 4, 5, 130])
      expect(readme).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'))
    expect(readme).toContain(`wlanctl-${packageJson.version}.tgz`)
  })

  it('has at most 1,500 words, with its code and pictures', () => {
    expect(textOf('README.md').split(/\s+/).length).toBeLessThanOrEqual(1500)
  })
})
