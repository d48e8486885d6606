import { arch, platform } from 'node:os'
import type { DoctorCheck } from '../../model/finding.ts'
import type { Io } from '../io.ts'
import { tool } from '../version.ts'
import { isSupported } from './engines.ts'

/** The program, and what runs it. */
export function programCheck({ node }: Pick<Io, 'node'>): DoctorCheck {
  const about = 'program'
  const said = `${tool.name.replace('/', ' ')} on Node ${node.replace(/^v/, '')}, ${platform()} ${arch()}`
  if (isSupported(node)) return { about, state: 'ok', said }
  const todo = 'install Node 24, or the newest 22 or 20: others are not tested'
  return { about, state: 'wrong', said, todo }
}
