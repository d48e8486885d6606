import { arch, platform } from 'node:os'
import type { Check } from '../../model/checkup.ts'
import type { Io } from '../io.ts'
import { tool } from '../version.ts'

/** The versions of Node that the package names as its engines, oldest first; from the last one on, all. */
const engines = [
  [20, 19],
  [22, 12],
  [24, 0]
] as const

/** The program, and what runs it. */
export function programCheck({ node }: Pick<Io, 'node'>): Check {
  const about = 'program'
  const said = `${tool.name.replace('/', ' ')} on Node ${node.replace(/^v/, '')}, ${platform()} ${arch()}`
  if (isSupported(node)) return { about, state: 'ok', said }
  const todo = 'install Node 24, or the newest 22 or 20: others are not tested'
  return { about, state: 'wrong', said, todo }
}

/** True for a version like `v20.19.4` that is one of the engines. */
export function isSupported(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [newest] = engines[engines.length - 1] ?? [0]
  if (major >= newest) return true
  return engines.some(([line, least]) => major === line && minor >= least)
}
