import { createHash } from 'node:crypto'
import type { Site, Wave } from '../../core/model/desired.ts'
import { finding } from '../../core/model/finding.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { excludedBy, expanded, matchesGlobs } from '../../core/values/glob.ts'
import type { Parsing } from '../declared.ts'
import { at } from '../files/source.ts'
import { Findings } from '../findings.ts'
import { isSite, nearestTo } from '../select.ts'
import type { Base } from '../since/base.ts'
import { siteKey } from '../since/same.ts'
import type { Usage } from '../usage.ts'
import type { DeclaredWave, Glob } from './policy.ts'

/**
 * Assigns each site of a fleet to the first wave that matches it. Sites that match no wave come last, in a
 * wave without a name.
 *
 * It takes all sites of the fleet, even if the run covers a part. Percentages select sites by a fixed order
 * of their ids, so that a site has the same wave in every run, and few sites move when the fleet grows.
 */
export function assignWaves(
  declared: readonly DeclaredWave[],
  sites: readonly Site[],
  run: Parsing
): Wave[] {
  const pool = new Pool(sites, run)
  const waves = declared.map(wave => ({ name: wave.name, sites: namesOf(pool.take(wave)) }))
  const others = namesOf(pool.left)
  return others.length === 0 ? waves : [...waves, { sites: others }]
}

/**
 * The waves of the base with the sites that it assigns to them, whatever their names are now, so that a change does not
 * choose which sites it reaches first. Sites that are new come last.
 */
export function wavesAtBase(
  { policy, sites: then }: Base,
  sites: readonly Site[],
  usage: Usage
): readonly Wave[] {
  const keys = new Map(then.map(site => [site.name, siteKey(site)]))
  const left = new Map(sites.map(site => [siteKey(site), site.name]))
  const take = (name: string) => {
    const key = keys.get(name) ?? ''
    const taken = left.get(key)
    left.delete(key)
    return taken ?? []
  }
  const named = assignWaves(policy.waves, then, { findings: new Findings(), usage })
    .filter(({ name }) => name !== undefined)
    .map(wave => ({ ...wave, sites: wave.sites.flatMap(take).sort(byCodeUnit) }))
  return left.size === 0 ? named : [...named, { sites: [...left.values()].sort(byCodeUnit) }]
}

class Pool {
  readonly #all: readonly Site[]
  readonly #run: Parsing
  #left: readonly Site[]
  #ordered: readonly Site[] | undefined

  constructor(all: readonly Site[], run: Parsing) {
    this.#all = all
    this.#left = all
    this.#run = run
  }

  get left(): readonly Site[] {
    return this.#left
  }

  take(wave: DeclaredWave): readonly Site[] {
    const { holds } = wave
    const taken = new Set('percent' in holds ? this.#upTo(holds.percent) : this.#matching(holds))
    this.#left = this.#left.filter(site => !taken.has(site))
    this.#reportUnused(wave, taken.size)
    return [...taken]
  }

  #reportUnused({ name, entry, holds }: DeclaredWave, taken: number): void {
    const globs = 'percent' in holds ? [] : holds
    const isMatched = (text: string) => this.#all.some(site => this.#matches(site, text))
    const unmatched = globs.flatMap(({ text, node }): Glob[] => {
      const wanted = excludedBy(text) ?? text
      if (!isMatched(wanted)) return [{ node, text }]
      // A typo in one of several names in braces leaves its site out as well.
      const names = expanded(wanted)
      const missing = names.length > 1 ? names.filter(name => !isMatched(name)) : []
      return missing.map(name => ({ node, text: name }))
    })
    for (const { text, node } of unmatched) {
      const near = nearestTo(text, () => this.#all.map(({ name }) => name))
      this.#run.findings.push(finding('WAVE_FITS_NO_SITE', at(node), text, near))
    }
    if (taken === 0 && unmatched.length === 0) {
      this.#run.findings.push(finding('WAVE_EMPTY', at(entry.value), name))
    }
  }

  #upTo(percent: number): readonly Site[] {
    const total = this.#all.length
    const more = Math.ceil((percent * total) / 100) - (total - this.#left.length)
    return more <= 0 ? [] : this.#inOrder().slice(0, more)
  }

  #matching(globs: readonly Glob[]): readonly Site[] {
    const texts = globs.map(({ text }) => text)
    return this.#left.filter(site => matchesGlobs(texts, glob => this.#matches(site, glob)))
  }

  #matches(site: Site, glob: string): boolean {
    this.#run.usage.time.check()
    return isSite(site, glob)
  }

  #inOrder(): readonly Site[] {
    this.#ordered ??= inOrder(this.#all)
    const left = new Set(this.#left)
    return this.#ordered.filter(site => left.has(site))
  }
}

/** The sites in a pseudo-random order that depends only on their ids. */
function inOrder(sites: readonly Site[]): Site[] {
  const hashOf = ({ id }: Site) => createHash('sha256').update(id.toLowerCase()).digest('hex')
  const keyed = sites.map(site => ({ site, key: hashOf(site) }))
  return keyed.sort((a, b) => byCodeUnit(a.key, b.key)).map(({ site }) => site)
}

function namesOf(sites: readonly Site[]): string[] {
  return sites.map(({ name }) => name).sort(byCodeUnit)
}
