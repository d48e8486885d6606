import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { desk } from './fake/script.ts'

/** npm, as far as installing goes: notes where and how it was called. */
const npm = `echo "$PWD: npm $*"
if [[ $1 == install ]]; then
  mkdir -p node_modules/wlanctl
  echo '{"version": "${packageJson.version}"}' >node_modules/wlanctl/package.json
fi`

describe('the action', () => {
  it('installs the version it belongs to, outside of the checkout and without scripts', async () => {
    const { run, command, temp } = desk()
    command('npm', npm)
    const unchecked = `${temp}/wlanctl.unchecked`
    const { code, log } = await run('actions/wlanctl/install.sh')
    expect(code).toBe(0)
    const [install = '', audit = ''] = log.trim().split('\n')
    expect(install).toMatch(new RegExp(`^${unchecked}: npm install .*--ignore-scripts`))
    expect(install).toMatch(new RegExp(` wlanctl@${packageJson.version.replaceAll('.', '\\.')}$`))
    expect(audit).toBe(`${unchecked}: npm audit signatures --prefix ${unchecked}`)
  })

  it('is not reached by an .npmrc of the checkout', async () => {
    const { run, command, write } = desk()
    write('checkout/.npmrc', 'node-options=--require ./trap.js\nscript-shell=./trap.sh\n')
    const npm = join(dirname(process.execPath), 'npm')
    command('npm', `for name in node-options script-shell; do '${npm}' config get $name; done`)
    const { log } = await run('actions/wlanctl/install.sh')
    expect(log).not.toContain('trap')
  })

  it('installs once, and anew where there is another version', async () => {
    const { run, command, write } = desk()
    command('npm', npm)
    const first = await run('actions/wlanctl/install.sh')
    expect(first.log).toContain('npm install')
    expect(await run('actions/wlanctl/install.sh')).toMatchObject({ code: 0, log: '' })
    write('temp/wlanctl/node_modules/wlanctl/package.json', '{"version": "0.0.1"}')
    expect((await run('actions/wlanctl/install.sh')).log).toContain('npm install')
  })

  it('installs nothing whose provenance does not hold', async () => {
    const { run, command } = desk()
    command('npm', `${npm}\n[[ $1 != audit ]]`)
    expect(await run('actions/wlanctl/install.sh')).toMatchObject({ code: 1 })
    expect(await run('actions/wlanctl/install.sh')).toMatchObject({ code: 1 })
  })

  it('hands each line on as one word, and becomes the program', async () => {
    const { run, program } = desk()
    program('console.log(JSON.stringify(process.argv.slice(2))); process.exit(5)')
    const arguments_ = '--site\nhq *\n$(id)\n\n--quiet\n'
    const { code, log } = await run('actions/wlanctl/run.sh', {
      COMMAND: 'plan',
      ARGUMENTS: arguments_
    })
    expect(code).toBe(5)
    expect(JSON.parse(log)).toEqual(['plan', '--site', 'hq *', '$(id)', '--quiet'])
  })

  it('passes a cancel to the program', async () => {
    const { start, program } = desk()
    program(`process.on('SIGINT', () => process.exit(130))
      setInterval(() => undefined, 1000)
      console.log('ready')`)
    const running = start('actions/wlanctl/run.sh', { COMMAND: 'apply', ARGUMENTS: '' })
    await running.until(/ready/)
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130 })
  })
})
