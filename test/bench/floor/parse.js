// The floor of `validate`: parses the YAML files of a folder to plain data with `yaml`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const folder = process.argv[2]
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.yaml')) parse(readFileSync(join(folder, file), 'utf8'))
}
