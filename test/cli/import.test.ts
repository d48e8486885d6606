import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { nth } from '../author/import/estates.ts'
import { CORP, corp, GUEST, guest, HQ, UNKNOWN_ID } from '../simulator/simulate.ts'
import { shell, wlanctl } from '../support/program.ts'
import { hqFile, type Stage, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

type Files = Readonly<Record<string, string>>

const tables = tablesIn<{
  readonly refused: Readonly<Record<string, Files & { readonly problem: string }>>
  readonly written: Readonly<Record<string, Files>>
}>(import.meta.dirname, 'declared-sites.yaml')

/** The beginning of the file of a site, and a secret in it; `test/author/import` has all fields. */
const HQ_YAML = new RegExp(
  `^site:\n  id: ${HQ}\n  name: hq\n\nwlans:\n  corp:\n    id: ${CORP}\n    ssid: Corp\n[^]*\n      psk: \\{ \\$env: WLAN_SECRET_HQ_GUEST_PSK \\}\n`
)

/** A stage without a fleet. */
async function live(options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const made = await stage(options)
  made.write('names.txt', `# the head office\n${HQ}\thq\n`)
  return made
}

/** Plans the imported files with the written secrets. */
async function planned({ cwd, run }: Stage, fleet = 'sites') {
  const read = await shell('set -a; . ./secrets.env; env --null', { cwd })
  const secrets = Object.fromEntries(
    read.stdout.split('\0').flatMap(entry => {
      const [name = '', ...value] = entry.split('=')
      return name.startsWith('WLAN_SECRET_') ? [[name, value.join('=')]] : []
    })
  )
  const { code, stdout, stderr } = await run(
    `plan ${fleet} --format json --detailed-exitcode`,
    secrets
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

describe('import', () => {
  it('writes a file for a site, and lists the objects that it refers to', async () => {
    const made = await live()
    const { code, stdout, stderr } = await made.run('import --from names.txt')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Written \(1\)\n {2}sites\/hq\.yaml {2}2 WLANs\n/m)
    expect(stdout).toContain('\n  WLAN_SECRET_HQ_GUEST_PSK\n')
    expect(stdout).toMatch(/\nImport: 2 WLANs on 1 site, 4 secrets; 1 request\n$/)
    expect(made.read('sites/hq.yaml')).toMatch(HQ_YAML)
    expect(made.methods()).toEqual(['GET'])
  })

  it('lists the files with --dry-run, and writes nothing', async () => {
    const made = await live()
    const line = 'import --from names.txt --secrets-out secrets.env --dry-run'
    const { code, stdout } = await made.run(line)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^To write \(1\)\n {2}sites\/hq\.yaml {2}2 WLANs\n/m)
    expect(['sites', 'secrets.env'].filter(name => existsSync(join(made.cwd, name)))).toEqual([])
  })

  it('continues without a site that cannot be read', async () => {
    const made = await live()
    const { code, stdout } = await made.run(`import ${UNKNOWN_ID} ${HQ} --format json`)
    const { summary, files, findings } = JSON.parse(stdout)
    expect({ code, ...summary }).toMatchObject({ code: 5, sites: 2, sites_failed: 1, wlans: 2 })
    expect(files).toEqual([{ file: 'sites/site-4ac1dcf4.yaml', wlans: 2 }])
    expect(findings[0]).toMatchObject({ code: 'SITE_NOT_READ', address: 'site-00000000' })
  })

  it('lints the written files as existing findings, and keeps its exit code', async () => {
    const made = await live()
    const { code, stdout } = await made.run('import --from names.txt --report json=import.json')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^hq\/guest: warning: existing: guests share .*\[LINT guest-traffic-/m)
    expect(stdout).toMatch(/^Lint: \d existing \(.*guest-traffic-untagged.*\)$/m)
    const { findings } = JSON.parse(made.read('import.json'))
    const ofLinter = findings.filter((found: { code: string }) => found.code === 'LINT')
    expect(ofLinter).toContainEqual(
      expect.objectContaining({ level: 'warning', rule: 'guest-traffic-untagged' })
    )
    expect(ofLinter.filter((found: { existing?: true }) => !found.existing)).toEqual([])
    const markdown = await made.run('import --from names.txt --force --format markdown')
    expect(markdown.stdout).toMatch(/<summary>.*Known findings: already live/)
  })

  it('replaces no file without --force', async () => {
    const made = await live()
    made.write('out/hq.yaml', 'mine')
    const line = 'import --from names.txt --out out --secrets-out secrets.env'
    const { code, stderr } = await made.run(line)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('--force') })
    expect(made.read('out/hq.yaml')).toBe('mine')
    expect(made.methods()).toEqual([])
    expect(await made.run(`${line} --force`)).toMatchObject({ code: 0 })
    expect(made.read('out/hq.yaml')).toMatch(HQ_YAML)
    expect(await made.run(`${line.replace('out out', 'out new')}`)).toMatchObject({ code: 3 })
    expect(await made.run(`${line} --force`)).toMatchObject({ code: 0 })
  })

  describe('into a fleet that declares the site', () => {
    it.each(Object.entries(tables.refused))('refuses before it writes: %s', async (_, row) => {
      const { problem, ...files } = row
      const made = await live()
      for (const [file, text] of Object.entries(files))
        made.write(file, text.replace('ID', HQ.toUpperCase()))
      const { code, stderr } = await made.run('import --from names.txt --force')
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) })
      expect(existsSync(join(made.cwd, 'sites/hq.yaml'))).toBe(false)
    })

    it.each(Object.entries(tables.written))('writes its file next to %s', async (_, files) => {
      const made = await live()
      for (const [file, text] of Object.entries(files))
        made.write(file, text.replace('ID', HQ.toUpperCase()))
      expect(await made.run('import --from names.txt')).toMatchObject({ code: 0 })
      expect(made.read('sites/hq.yaml')).toMatch(HQ_YAML)
      // The same import with --force replaces the file that it wrote.
      expect(await made.run('import --from names.txt --force')).toMatchObject({ code: 0 })
    })
  })

  it.each<[string, Record<string, string>]>([
    ['.live', {}],
    ['sites/.live', {}],
    ['sites/live', { '.wlanctlignore': 'live/' }]
  ])('writes to a folder that the fleet excludes: %s', async (out, files) => {
    const made = await live()
    made.write('policy.yaml', 'policy: { max_changes: 3 }\n')
    made.write('sites/hq.yaml', hqFile('{ corp: { ssid: Corp } }'))
    for (const [file, text] of Object.entries(files)) made.write(file, text)
    expect(await made.run(`import --from names.txt --out ${out}`)).toMatchObject({ code: 0 })
    expect(await made.run('import --from names.txt --out sites/seen')).toMatchObject({ code: 3 })
  })

  it('reads no site to write layers into a fleet that declares it', async () => {
    const made = await live()
    const wlans = 'wlans: { corp: { ssid: Corp } }\n'
    for (const name of ['a', 'b', 'c']) {
      made.write(`sites/${name}.yaml`, `site: { id: ${HQ}, name: hq }\n${wlans}`)
    }
    made.write('names.txt', `${HQ} hq\n${UNKNOWN_ID} lab\n`)
    expect(await made.run('import --from names.txt')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        `sites/a.yaml already declares the site "hq" (${HQ}); so do 2 other declarations\n  \`--force\` replaces`
      )
    })
    expect(made.methods()).toEqual([])
    rmSync(join(made.cwd, 'sites/c.yaml'))
    const again = await made.run('import --from names.txt --plain')
    expect(again.stderr).toContain('; so does 1 other declaration\n')
  })

  it.each([
    ['out /proc/nope', 1, '/proc/nope could not be written'],
    ['out names.txt', 1, 'names.txt could not be written'],
    ['secrets-out sites/hq.yaml', 3, 'is also the file of a site']
  ])('reports that it cannot write to --%s', async (option, exitCode, problem) => {
    const made = await live()
    const { code, stderr } = await made.run(`import --from names.txt --${option}`)
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringContaining(problem) })
    expect(made.methods()).toEqual([])
  })

  it('writes nothing through a link', async () => {
    const made = await live()
    made.write('elsewhere', 'mine')
    mkdirSync(join(made.cwd, 'sites'))
    symlinkSync('../elsewhere', join(made.cwd, 'sites/hq.yaml'))
    symlinkSync('elsewhere', join(made.cwd, 'secrets.env'))
    const line = 'import --from names.txt --force'
    expect(await made.run(line)).toMatchObject({ code: 3 })
    expect(await made.run(`${line} --out new --secrets-out secrets.env`)).toMatchObject({ code: 3 })
    expect(made.read('elsewhere')).toBe('mine')
    expect(made.methods()).toEqual([])
  })

  it('keeps secrets private to their owner, in a form that shells and Node read alike', async () => {
    const values = [
      'a b#c$d`e"f\\g',
      "it's so long",
      `'"$\`\\!!!`,
      ' a blank ',
      'a {{the_psk}}',
      '0123456789',
      '!!bang!!'
    ]
    const wlans = values.map((psk, n) => ({
      ...guest,
      id: GUEST.replace(/..$/, String(n + 10)),
      ssid: `W${n}`,
      auth: { type: 'psk', psk }
    }))
    const made = await live({ sites: [{ id: HQ, name: 'hq', wlans }] })
    await made.run('import --from names.txt --secrets-out secrets.env')
    expect(statSync(join(made.cwd, 'secrets.env')).mode & 0o777).toBe(0o600)
    expect((await planned(made)).summary).toMatchObject({ unchanged: values.length })
    const print = `for (const n of [0,1,3,4,5,6]) console.log(process.env['WLAN_SECRET_HQ_W' + n + '_PSK'])`
    const { stdout } = await shell(`node --env-file=secrets.env -e "${print}"`, made)
    const shown = values.filter(value => value !== `'"$\`\\!!!`)
    expect(stdout.split('\n').slice(0, -1)).toEqual(shown)
  })

  const destinations = [' --secrets-out secrets.env', ' --secrets-dir a/secrets --plain']

  it.each(destinations)('leaves no file if no site can be read:%s', async option => {
    const made = await live()
    const ids = Array.from({ length: 40 }, (_, n) => `${UNKNOWN_ID.slice(0, -2)}${n + 10}`)
    const line = `import ${ids.join(' ')} --out new/sites${option}`
    const { code, stdout } = await wlanctl(line.split(' '), made)
    expect(code).toBe(5)
    expect(stdout).toMatch(
      /\nImport: none of 40 sites could be read; nothing was written; 40 requests\n$/
    )
    expect(stdout).not.toContain('IMPORT_NOT_FACTORED')
    expect(stdout).not.toContain('layers')
    expect(readdirSync(made.cwd).sort()).toEqual(['fleet', 'names.txt'])
  })

  it('keeps the secrets of an earlier run if it reads none, even with --force', async () => {
    const made = await live()
    made.write('secrets.env', 'mine')
    const line = `import ${UNKNOWN_ID} --secrets-out secrets.env --force`
    expect(await wlanctl(line.split(' '), made)).toMatchObject({ code: 5 })
    expect(made.read('secrets.env')).toBe('mine')
  })

  it.each(destinations)('leaves no file if it is interrupted:%s', async option => {
    const interrupt = new AbortController()
    const made = await live({ switches: { latency: 60_000 } })
    const line = `import --from names.txt --out a/b${option}`
    const running = wlanctl(line.split(' '), made, { interrupted: interrupt.signal })
    await expect.poll(() => made.methods().length).toBe(1)
    expect(readdirSync(made.cwd).sort()).toEqual(['fleet', 'names.txt'])
    interrupt.abort()
    expect(await running).toMatchObject({ code: 130, stderr: 'wlanctl: interrupted\n' })
    expect(readdirSync(made.cwd).sort()).toEqual(['fleet', 'names.txt'])
  })

  it('lists the written files if the secrets could not be written', async () => {
    const made = await live({ switches: { latency: 300 } })
    const line = 'import --from names.txt --secrets-out kept/secrets.env'
    mkdirSync(join(made.cwd, 'kept'))
    const running = wlanctl(line.split(' '), made)
    await expect.poll(() => made.methods().length).toBe(1)
    rmdirSync(join(made.cwd, 'kept'))
    const { code, stderr } = await running
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^wlanctl: incomplete import: wrote 1 file in sites and no secret; run it again with/
    )
    expect(stderr).toContain('kept/secrets.env could not be written')
  })

  it('writes the common values of sites to profiles, with a reason', async () => {
    const sites = generateFleet({ sites: 8, wlans: 4, seed: 3 })
    const made = await live({ sites })
    made.write('names.txt', sites.map(({ id, name }) => `${id} ${name}\n`).join(''))
    const line = 'import --from names.txt --secrets-out secrets.env'
    const { code, stdout } = await made.run(line)
    expect(code).toBe(0)
    expect(stdout).toMatch(/\n {2}sites\/profiles\.yaml {2,}5 profiles\n/)
    expect(stdout).toMatch(/ lines instead of [\d,]+\n$/)
    expect(readdirSync(join(made.cwd, 'sites'))).toEqual(['profiles.yaml', 'sites.yaml'])
    expect((await planned(made)).summary).toMatchObject({ sites: 8, wlans: 32, unchanged: 32 })
    const again = await made.run(line.replace('secrets.env', 'others.env'))
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('--force') })
    const json = JSON.parse((await made.run(`${line} --force --format json`)).stdout)
    expect(json).toMatchObject({ summary: { lines: {} } })
  })

  it('names groups, and reports a name that matches none', async () => {
    const sites = ['north-1', 'north-2', 'a', 'b', 'c', 'd'].map((name, n) => {
      const hosts = [11, 12].map(last => ({ host: `10.${n < 2 ? 1 : 2}.0.${last}`, secret: 'all' }))
      const wlans = [{ ...corp, id: nth(100 + n), site_id: nth(n), auth_servers: hosts }]
      return { id: nth(n), name, wlans }
    })
    const made = await live({ sites })
    made.write('names.txt', sites.map(({ id, name }) => `${id} ${name}\n`).join(''))
    const { code, stdout, stderr } = await made.run(
      'import --from names.txt --group south=10.2.* --group west=10.3.*'
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('warning: no group is named "west": "10.3.*" matches no value')
    expect(stdout).not.toContain('no group is named "south"')
    const groups = made.read('sites/groups.yaml')
    expect(groups.match(/^ {2}\S+(?=:)/gm)).toEqual(['  south', '  north'])
  })

  it.each([
    ['', 'set these variables: their values are in no file, unless you import with --secrets-out'],
    [' --secrets-out my.env', 'load the values into a shell with: set -a; . ./my.env; set +a'],
    [' --secrets-dir secrets', 'plan and apply read the values with: --secrets-dir secrets']
  ])('says where the values of secrets come from, in text only: `%s`', async (option, line) => {
    const made = await live()
    const { stdout } = await made.run(`import ${HQ}${option} --report json=import.json`)
    expect(stdout).toContain(`\n  ${line}`)
    expect(JSON.parse(made.read('import.json'))).toEqual(
      expect.not.objectContaining({ secretValues: expect.anything() })
    )
    expect(made.read('import.json')).not.toContain('values')
  })

  it('names the files that exist, the first three of many', async () => {
    const sites = generateFleet({ sites: 4, wlans: 1, seed: 3 })
    const made = await live({ sites })
    made.write('all.txt', sites.map(({ id }, at) => `${id}\ts${at}\n`).join(''))
    for (const name of ['s0', 's1']) made.write(`sites/${name}.yaml`, '{}\n')
    const refusal = async () => (await made.run('import --plain --from all.txt')).stderr
    expect(await refusal()).toContain('wlanctl: sites/s0.yaml, sites/s1.yaml already exist\n')
    for (const name of ['s2', 's3']) made.write(`sites/${name}.yaml`, '{}\n')
    expect(await refusal()).toContain('s1.yaml, sites/s2.yaml and 1 more already exist\n')
  })

  it('writes a file per site, and says so, if layers would be too large for the loader', async () => {
    const sites = [0, 1, 2, 3].map(n => {
      // A WLAN may have 5,000 values, with those of its profile.
      const ap_ids = Array.from({ length: 3000 }, (_, at) => nth(at + (n === 3 ? 5000 : 0)))
      const wlan = { ...corp, id: nth(100 + n), site_id: nth(n), apply_to: 'aps', ap_ids }
      return { id: nth(n), name: `s${n}`, wlans: [wlan] }
    })
    const made = await live({ sites })
    const { code, stdout } = await made.run(`import ${sites.map(({ id }) => id).join(' ')}`)
    expect(code).toBe(0)
    expect(stdout).toContain(
      'one file for each site instead of layers: the files would be invalid: WLAN_TOO_LARGE [IMPORT_NOT_FACTORED]'
    )
    expect(readdirSync(join(made.cwd, 'sites'))).toHaveLength(4)
  })
})
