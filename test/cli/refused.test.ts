import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { HQ } from '../support/ids.ts'
import { wlanctl } from '../support/program.ts'
import { type Stage, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

/** The lines of the message, by command line. */
type Refusals = Readonly<Record<string, readonly string[]>>

const tables = tablesIn<Readonly<Record<string, Refusals>>>(import.meta.dirname, 'refused.yaml')

/** A folder with a fleet, and a file of each kind that wlanctl reads. */
async function staged(): Promise<Stage> {
  const made = await stage()
  await made.run('snapshot fleet --out s.json')
  await made.run('snapshot fleet --into estate')
  await made.run('plan fleet --out plan.json')
  await made.run('apply fleet --yes --record r.jsonl --report json=outcomes.json')
  made.write('sites.txt', `${HQ} hq\n`)
  made.write('wrong.txt', `hq ${HQ}\n`)
  made.write('token', 'a-token\n', 0o600)
  return made
}

/** Runs a line of shell: its words may be quoted, and variables may stand before them; `ID` is the id of the site. */
function run(line: string, { cwd, env }: Stage) {
  const all = (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map(word => word.replaceAll("'", ''))
  const words = all.slice(all.findIndex(word => !/^[A-Z_]+=/.test(word)))
  const set = all.slice(0, all.length - words.length).map(word => word.split('='))
  const argv = words.map(word => (word === 'ID' ? HQ : word))
  return wlanctl(argv, { cwd, env: { ...env, ...Object.fromEntries(set) } })
}

it.each(Object.entries(tables))(
  '%s: refused with exit code 3, before any request or output file',
  async (_, refusals) => {
    const made = await staged()
    const state = () => ({ requests: made.methods().length, files: readdirSync(made.cwd) })
    const before = state()
    for (const [line, message] of Object.entries(refusals)) {
      const stderr = `wlanctl: ${message.join('\n  ')}\n`
      expect({ line, ...(await run(line, made)) }).toEqual({ line, code: 3, stdout: '', stderr })
    }
    expect(state()).toEqual(before)
  }
)
