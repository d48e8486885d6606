import { expect, test } from 'vitest'
import { gitEnv } from '../support/git.ts'
import { folder, wlanctl } from '../support/program.ts'

const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...gitEnv }

test('the demo of ninety nights finds three edits by hand and a contested field', async () => {
  const { code, stdout, stderr } = await wlanctl(['demo', '--history'], { cwd: folder(), env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/vlan_id of store-007\/Guest was set back 3 times to 32/)
  const edits = stdout
    .split('\n')
    .filter(line => / UTC {2}store/.test(line) && !/wlanctl, run/.test(line))
  expect(edits.map(line => line.replace(/^.*UTC {2}| \(.*/g, ''))).toEqual([
    'store-004/Guest  isolation true → false',
    'store-009/Tills  hide_ssid',
    ...Array.from({ length: 3 }, () => 'store-007/Guest  vlan_id 32 → 66'),
    'store-011/Guest  schedule'
  ])
  expect(
    stdout.match(/Guest at 12 sites: store-001, store-002, store-003 and 9 more {2}.*/g)
  ).toEqual([
    expect.stringMatching(/ {2}vlan_id 30 → 31 \(reconnect\) {2}wlanctl, run /),
    expect.stringMatching(/ {2}vlan_id 31 → 32 \(reconnect\) {2}wlanctl, run /)
  ])
  expect(stdout).toMatch(/^33 changes at 12 sites .* 27 by wlanctl, .*; 1 contested field$/m)
})

test('the demo of ninety nights without git says so', async () => {
  const { code, stderr } = await wlanctl(['demo', '--history'], {
    cwd: folder(),
    env: { PATH: '/nowhere' }
  })
  expect(code).toBe(3)
  expect(stderr).toContain('needs git')
})
