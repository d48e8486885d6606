import { Collector, folder, wlanctl } from '../../support/program.ts'

/** The width of the terminal, in characters. */
const COLUMNS = 100

/** What `wlanctl demo` prints on a terminal: one scene for each command, with the sentence before it. */
export async function scenesOfDemo(): Promise<readonly string[]> {
  const now = () => new Date('2026-11-16T09:00:00Z')
  const stdout = Object.assign(new Collector(), { isTTY: true, columns: COLUMNS })
  await wlanctl(['demo'], { cwd: folder() }, { now, stdout })
  const [, ...scenes] = stdout.text.split(/(?<=\n\n)(?=[^ \n].*\n\n {2}\$ wlanctl )/)
  return scenes
}
