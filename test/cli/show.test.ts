import { describe, expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

describe('a saved plan', () => {
  it('is shown as it was, in any format, without the service or a secret', async () => {
    const { run, methods } = await stage()
    const planned = await run('plan fleet --out plan.json')
    const alone = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
    expect(await run('show plan.json', alone)).toEqual(planned)
    const shown = await run('show plan.json --format json --report text=plan.txt', alone)
    expect(JSON.parse(shown.stdout)).toMatchObject({ summary: { changed: 2 } })
    expect(methods()).toEqual(['GET'])
  })
})

describe('a saved plan that is not whole', () => {
  it.each([
    ['cut in the middle', (text: string) => text.slice(0, text.length / 2), 'it is not JSON'],
    ['edited by hand', (text: string) => text.replaceAll('21', '22'), 'digest'],
    ['of another version', (text: string) => text.replace('plan/1', 'plan/9'), 'wlanctl-plan/9'],
    ['without its digest', (text: string) => text.replace('"digest"', '"sum"'), 'damaged'],
    ['something else', () => '[]', 'expected the format']
  ])('%s is refused', async (_, damage, message) => {
    const { run, read, write } = await stage()
    await run('plan fleet --out plan.json')
    expect(await run('show plan.json')).toMatchObject({ code: 0, stderr: '' })
    write('plan.json', damage(read('plan.json')))
    const { code, stdout, stderr } = await run('show plan.json')
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^wlanctl: plan.json: .*${message}`))
    })
  })

  it('is not there', async () => {
    const { code, stderr } = await (await stage()).run('show plan.json')
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('plan.json') })
  })
})
