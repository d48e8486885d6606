import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAX_EXCERPTS } from '../../src/report/text/findings.ts'
import { HQ } from '../support/ids.ts'
import { folder, wlanctl } from '../support/program.ts'

/** A file with a WLAN of these lines, whose indentation is added. */
function fleet(lines: readonly string[], lineEnd = '\n'): string {
  const cwd = folder()
  const head = ['site:', `  id: ${HQ}`, '  name: hq', 'wlans:', '  corp:', '    ssid: Corp']
  writeFileSync(join(cwd, 'hq.yaml'), [...head, ...lines.map(line => `    ${line}`)].join(lineEnd))
  return cwd
}

const excerptsIn = (text: string) => text.match(/^ +\d+ \| .*\n +\| +\^+$/gm) ?? []

describe('the excerpt below a finding', () => {
  it.each(['\n', '\r\n'])(
    'is of the line of the finding, with lines that end with %j',
    async end => {
      const cwd = fleet(['vlan_id: 5000', 'isolatoin: true'], end)
      const { code, stdout } = await wlanctl(['validate', '.'], { cwd })
      expect({ code, excerpts: excerptsIn(stdout) }).toEqual({
        code: 3,
        excerpts: [
          '  7 | vlan_id: 5000\n    |          ^^^^',
          '  8 | isolatoin: …\n    | ^^^^^^^^^'
        ]
      })
    }
  )

  it('is shown for the first findings only', async () => {
    const unknown = Array.from({ length: MAX_EXCERPTS + 5 }, (_, at) => `unknown_${at}: 1`)
    const { stdout } = await wlanctl(['validate', '.'], { cwd: fleet(unknown) })
    expect(stdout.match(/FIELD_UNKNOWN/g)).toHaveLength(MAX_EXCERPTS + 5)
    expect(excerptsIn(stdout)).toHaveLength(MAX_EXCERPTS)
  })

  it('is in no file and in no other format', async () => {
    const cwd = fleet(['vlan_id: 5000'])
    for (const format of ['json', 'markdown', 'github', 'html']) {
      const { stdout } = await wlanctl(['validate', '.', '--format', format], { cwd })
      expect(stdout).not.toContain('^^^^')
    }
    await wlanctl(['validate', '.', '--report', 'text=out.txt'], { cwd })
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toMatch(/^hq\.yaml:7:14: error/)
    expect(excerptsIn(readFileSync(join(cwd, 'out.txt'), 'utf8'))).toEqual([])
  })

  it('is not of a file that a link leads to', async () => {
    const cwd = fleet([])
    symlinkSync('/etc/hostname', join(cwd, 'link.yaml'))
    const { stdout } = await wlanctl(['validate', '.'], { cwd })
    expect(stdout).toContain('link.yaml:1:1: error')
    expect(excerptsIn(stdout)).toEqual([])
  })

  it('holds only a sign of a line with invalid YAML', async () => {
    const cwd = fleet(['auth: { psk: "hunter22', '  hunter22: x', 'vlan_id: 5000'])
    const { stdout } = await wlanctl(['validate', '.'], { cwd })
    expect(stdout).toContain('[YAML_SYNTAX]')
    expect(stdout).not.toContain('hunter22')
    expect(excerptsIn(stdout)).toEqual(['  7 | … " …\n    |   ^'])
  })
})
