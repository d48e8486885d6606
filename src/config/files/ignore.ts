import { fitsGlob, fitsSequence } from '../../model/glob.ts'

/** The file in the root of a fleet that names YAML files of other programs. */
export const IGNORE_FILE = '.wlanctlignore'

/** The limit of the file, in bytes. */
export const MOST_IGNORE_BYTES = 64 * 1024

/** True for a path, relative to the fleet and with `/`, that is ignored; the folders above it are not looked at. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean

interface IgnorePattern {
  readonly isNegated: boolean
  readonly foldersOnly: boolean
  readonly segments: readonly string[]
}

/**
 * Parses an ignore file, a pattern on each line as in a `.gitignore`; the last one that fits decides.
 *
 * | pattern      | ignores                                              |
 * |--------------|------------------------------------------------------|
 * | `mkdocs.yml` | files and folders of this name, in any folder        |
 * | `/mkdocs.yml`| the one in the root                                  |
 * | `ansible/`   | folders of this name, with all that they hold        |
 * | `docs/*.yml` | those in `docs`; `*` and `?` stand for no `/`        |
 * | `a/**`+`/b`  | `b` at any depth below `a`                           |
 * | `!sites.yml` | nothing: it takes back what patterns before it ignore |
 */
export function parseIgnoreFile(text: string): IgnoreRules {
  const patterns = text.split('\n').flatMap(line => patternIn(line))
  return (path, isFolder) => {
    const names = path.split('/')
    const fits = ({ foldersOnly, segments }: IgnorePattern) =>
      (isFolder || !foldersOnly) && fitsSequence(names, segments, isAnyDepth, fitsGlob)
    return patterns.findLast(fits)?.isNegated === false
  }
}

/** True if the rules ignore a path or a folder that it is in. */
export function isIgnored(path: string, ignores: IgnoreRules): boolean {
  const folders = path.split('/').slice(0, -1)
  const isInIgnored = folders.some((_, at) => ignores(folders.slice(0, at + 1).join('/'), true))
  return isInIgnored || ignores(path, false)
}

function patternIn(line: string): IgnorePattern[] {
  const text = line.replace(/\r$/, '').trimEnd()
  if (text === '' || text.startsWith('#')) return []
  const isNegated = text.startsWith('!')
  // A backslash keeps a leading `#` or `!`.
  const pattern = text.slice(isNegated ? 1 : 0).replace(/^\\(?=[#!])/, '')
  const foldersOnly = pattern.endsWith('/')
  const path = pattern.replace(/\/+$/, '')
  const segments = path.split('/').filter(segment => segment !== '')
  if (segments.length === 0) return []
  if (!path.includes('/')) segments.unshift('**')
  // At the end it stands for what the folder holds, not for the folder.
  if (segments.at(-1) === '**') segments.push('*')
  return [{ isNegated, foldersOnly, segments }]
}

/** `**` stands for any number of names. */
function isAnyDepth(segment: string): boolean {
  return segment === '**'
}
