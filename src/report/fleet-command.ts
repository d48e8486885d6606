import { quoteForShell } from '../core/values/text.ts'
import type { RenderOptions } from './report.ts'

export type Make = (name: string, ...words: string[]) => string

export type CommandOptions = Pick<RenderOptions, 'fleet' | 'rerun'>

/**
 * A command on a fleet that does the same as the run: `wlanctl apply fleets/retail --base main --wlan corp`. After a revert,
 * `plan` and `apply` are those of the revert.
 */
export function fleetCommand({ fleet, rerun }: CommandOptions): Make {
  const of = fleet === undefined || fleet === '.' ? [] : [fleet]
  const { base = [], part = [], revert } = rerun ?? {}
  return (name, ...words) => {
    const command = (...all: string[]) => ['wlanctl', ...all.map(quoteForShell)].join(' ')
    if (name === 'explain') return command(name, ...words, ...of.flatMap(each => ['--fleet', each]))
    const selected = [...of, ...(words.includes('--site') ? [] : part)]
    if (revert !== undefined && (name === 'apply' || name === 'plan')) {
      const ending = name === 'plan' ? ['--dry-run'] : []
      return command('revert', ...revert, ...selected, ...words, ...ending)
    }
    const hasBase = name !== 'revert' && !(name === 'adopt' && base[0] === '--base')
    return command(name, ...selected, ...(hasBase ? base : []), ...words)
  }
}
