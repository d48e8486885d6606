// The floor of a validate: reads the YAML files of a folder, and has `yaml` parse each to plain data.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const folder = process.argv[2]
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.yaml')) parse(readFileSync(join(folder, file), 'utf8'))
}
