import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { folder, shell, startBuilt } from '../support/program.ts'

/** The commands of a new user, from an empty folder to a fleet in Git. */
const commands = [
  'wlanctl simulate',
  'export WLANCTL_BASE_URL=URL WLANCTL_API_TOKEN=demo-token-4c1f9b7e',
  'wlanctl import 5497967e-905a-4263-8331-d66e531c40dc --secrets-out secrets.env',
  'set -a; . ./secrets.env; set +a',
  'wlanctl plan sites',
  "sed -i 's/vlan_id: 40/vlan_id: 41/' sites/*.yaml",
  'wlanctl plan sites',
  'wlanctl apply sites --yes --quiet'
] as const

it('the tour leads from an empty directory to an applied change in eight commands', async () => {
  const cwd = folder()
  expect(commands.length).toBeLessThanOrEqual(8)
  const service = startBuilt(['simulate'], { cwd })
  await service.until(/Ctrl-C ends it/)
  const url = /http:\S+/.exec(service.stdout)?.[0] ?? ''
  const typed = commands.slice(1).map(command => command.replace('URL=URL', `URL=${url}`))
  const script = typed.map(command => `echo '$'; { ${command}; } 2>&1`).join('\n')
  const { code, stdout, stderr } = await shell(`set -e\n${script}`, { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [, , imported, , empty, , changed, applied] = stdout.split(/^\$\n/m)
  expect(imported).toContain('Import: 4 WLANs on 1 site, 4 secrets; 1 request')
  expect(empty).toContain('No changes: all 4 WLANs are as declared')
  expect(changed).toMatch(/vlan_id {2}40 → 41 {2}sites\/[\w.:-]+\n(?:.*\n)+Plan: 1 WLAN to change/)
  expect(applied).toContain('Apply: 1 applied')
  expect(readdirSync(cwd).sort()).toEqual(['secrets.env', 'sites'])
})
