import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The tables of a YAML file next to a test: rows by name. */
export function tablesIn<T>(directory: string, name: string): T {
  return parse(readFileSync(join(directory, name), 'utf8'))
}
