import { matchesGlob, matchesSequence } from '../../core/values/glob.ts'

export const IGNORE_FILE = '.wlanctlignore'

export const MAX_IGNORE_BYTES = 64 * 1024

/** True if a path relative to the fleet, with `/`, is ignored; the folders above it are not checked. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean

interface IgnorePattern {
  readonly isNegated: boolean
  readonly foldersOnly: boolean
  readonly segments: readonly string[]
}

/**
 * Parses an ignore file: one pattern per line, as in `.gitignore`; the last matching pattern counts.
 *
 * | pattern      | ignores                                              |
 * |--------------|------------------------------------------------------|
 * | `mkdocs.yml` | files and folders of this name, in any folder        |
 * | `/mkdocs.yml`| the one in the root                                  |
 * | `ansible/`   | folders of this name, with their content             |
 * | `docs/*.yml` | those in `docs`; `*` and `?` match no `/`            |
 * | `a/**`+`/b`  | `b` at any depth below `a`                           |
 * | `!sites.yml` | nothing: it cancels earlier patterns for this file   |
 */
export function parseIgnoreFile(text: string): IgnoreRules {
  const patterns = text.split('\n').flatMap(line => patternIn(line))
  return (path, isFolder) => {
    const names = path.split('/')
    const fits = ({ foldersOnly, segments }: IgnorePattern) =>
      (isFolder || !foldersOnly) &&
      matchesSequence(names, segments, name => name === '**', matchesGlob)
    return patterns.findLast(fits)?.isNegated === false
  }
}

export function isIgnored(path: string, ignores: IgnoreRules): boolean {
  const folders = path.split('/').slice(0, -1)
  const isInIgnored = folders.some((_, at) => ignores(folders.slice(0, at + 1).join('/'), true))
  return isInIgnored || ignores(path, false)
}

function patternIn(line: string): IgnorePattern[] {
  const text = line.replace(/\r$/, '').trimEnd()
  if (text === '' || text.startsWith('#')) return []
  const isNegated = text.startsWith('!')
  // A backslash escapes a leading `#` or `!`.
  const pattern = text.slice(isNegated ? 1 : 0).replace(/^\\(?=[#!])/, '')
  const foldersOnly = pattern.endsWith('/')
  const path = pattern.replace(/\/+$/, '')
  const segments = path.split('/').filter(segment => segment !== '')
  if (segments.length === 0) return []
  if (!path.includes('/')) segments.unshift('**')
  // A final `**` matches the content of a folder, not the folder.
  if (segments.at(-1) === '**') segments.push('*')
  return [{ isNegated, foldersOnly, segments }]
}
