import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { HQ } from '../simulator/simulate.ts'
import { type Stage, stage } from '../support/stage.ts'

const LINE = 'import --from names.txt --secrets-dir secrets'

async function live(options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const made = await stage(options)
  const sites = options.sites ?? [{ id: HQ, name: 'hq' }]
  made.write('names.txt', sites.map(({ id, name }) => `${id}\t${name}\n`).join(''))
  return made
}

const modeOf = ({ cwd }: Stage, path: string) => statSync(join(cwd, path)).mode & 0o777

describe('import --secrets-dir', () => {
  it.each(['', ' --plain'])(
    'writes each secret to a file, and the next plan is empty%s',
    async more => {
      const sites = generateFleet({ sites: 3, wlans: 4, seed: 3 })
      const made = await live({ sites })
      const { code, stderr } = await made.run(LINE + more)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const files = readdirSync(join(made.cwd, 'secrets'))
      expect(modeOf(made, 'secrets')).toBe(0o700)
      for (const file of files) expect(modeOf(made, `secrets/${file}`), file).toBe(0o600)
      const values = files.map(file => made.read(`secrets/${file}`))
      expect(new Set(values).size).toBe(files.length)
      const yaml = readdirSync(join(made.cwd, 'sites')).map(file => made.read(`sites/${file}`))
      expect(yaml.join()).toContain('{ $file: ')
      expect(yaml.join()).not.toContain('$env')
      const plan = await made.run('plan sites --secrets-dir secrets --detailed-exitcode')
      expect(plan).toMatchObject({ code: 0, stderr: '' })
      expect(await made.run(`${LINE}${more} --force`)).toMatchObject({ code: 0 })
    }
  )

  it('lists ten of the secrets, with --verbose all', async () => {
    const made = await live({ sites: generateFleet({ sites: 3, wlans: 4, seed: 3 }) })
    const files = (await made.run(LINE)).stdout
    expect(files.match(/^ {2}[\w-]+-(?:psk|secret|password)\b/gm)).toHaveLength(10)
    const [, more] = /^ {2}and (\d+) more; `--verbose` lists all$/m.exec(files) ?? []
    const all = await made.run(`${LINE} --force --verbose`)
    expect(all.stdout.match(/^ {2}[\w-]+-(?:psk|secret|password)\b/gm)).toHaveLength(
      10 + Number(more)
    )
  })

  it('replaces no other secret without --force, and then writes nothing', async () => {
    const made = await live()
    made.write('secrets/hq-guest-psk', 'mine', 0o600)
    made.write('secrets/hq-guest-portal-password', 'mine', 0o600)
    chmodSync(join(made.cwd, 'secrets'), 0o700)
    const refused = await made.run(LINE)
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(refused.stderr).toContain(
      'secrets/hq-guest-psk, secrets/hq-guest-portal-password already exist with other secrets\n  `--force` replaces them'
    )
    expect(readdirSync(made.cwd).sort()).toEqual(['fleet', 'names.txt', 'secrets'])
    expect(readdirSync(join(made.cwd, 'secrets'))).toHaveLength(2)
    expect(made.read('secrets/hq-guest-psk')).toBe('mine')
    expect(await made.run(`${LINE} --force`)).toMatchObject({ code: 0 })
    expect(made.read('secrets/hq-guest-psk')).toBe('test-psk-123')
  })

  it('keeps the file of an equal secret, and makes it private', async () => {
    const made = await live()
    await made.run(LINE)
    const file = join(made.cwd, 'secrets/hq-guest-psk')
    const { ino } = statSync(file)
    const again = `${LINE} --out again`
    expect(await made.run(again)).toMatchObject({ code: 0 })
    expect(statSync(file).ino).toBe(ino)
    chmodSync(file, 0o644)
    expect(await made.run(`${LINE} --out more`)).toMatchObject({ code: 0 })
    expect(modeOf(made, 'secrets/hq-guest-psk')).toBe(0o600)
  })

  it('writes nothing through a link or outside of the directory', async () => {
    const made = await live()
    made.write('elsewhere', 'mine')
    mkdirSync(join(made.cwd, 'secrets'), { mode: 0o700 })
    symlinkSync('../elsewhere', join(made.cwd, 'secrets/hq-guest-psk'))
    expect(await made.run(`${LINE} --force`)).toMatchObject({ code: 3 })
    expect(made.read('elsewhere')).toBe('mine')
    expect(readdirSync(made.cwd).sort()).toEqual(['elsewhere', 'fleet', 'names.txt', 'secrets'])
  })

  it('removes the written secrets if a later one cannot be written', async () => {
    const { writeSecretFiles } = await import('../../src/cli/files/import-secrets.ts')
    const { Secret } = await import('../../src/core/values/secret.ts')
    const made = await live()
    const secret = (name: string) => ({
      ...{ name, address: 'hq/a', pointer: '/auth/psk', uses: 1 },
      secret: new Secret({ $live: true }, 'planted')
    })
    const target = { out: 'sites', secretsDir: 'a/secrets', cwd: made.cwd }
    const never = new AbortController().signal
    const written = writeSecretFiles([secret('one'), secret('x'.repeat(300))], target, never)
    await expect(written).rejects.toThrow('could not be written')
    expect(readdirSync(made.cwd).sort()).toEqual(['fleet', 'names.txt'])
    mkdirSync(join(made.cwd, 'kept'), { mode: 0o700 })
    made.write('kept/two', 'planted', 0o600)
    const inKept = { ...target, secretsDir: 'kept' }
    const again = writeSecretFiles([secret('two'), secret('x'.repeat(300))], inKept, never)
    await expect(again).rejects.toThrow('could not be written')
    expect(readdirSync(join(made.cwd, 'kept'))).toEqual(['two'])
    expect(readFileSync(join(made.cwd, 'kept/two'), 'utf8')).toBe('planted')
  })
})
