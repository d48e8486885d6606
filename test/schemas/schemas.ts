import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { annotationSchema } from './annotations.ts'

const folder = new URL('../../schemas/', import.meta.url)

/** The names of all schemas of the package. */
export const schemaNames = readdirSync(folder).filter(name => name.endsWith('.json'))

/** A schema as the package holds it. */
export function readSchema(name: string): AnySchemaObject {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
}

/** A validator in ajv's strict mode, which throws on unknown or ambiguous keywords and annotations. */
export function strictAjv(): Ajv2020 {
  const keywords = [{ keyword: 'x-wlanctl', metaSchema: annotationSchema }]
  return new Ajv2020({ strict: true, allErrors: true, keywords })
}

/** The schemas that others reference. */
const referred: Readonly<Record<string, readonly string[]>> = {
  'record.schema.json': ['plan.schema.json'],
  'outcomes.schema.json': ['plan.schema.json', 'record.schema.json'],
  'ci-result.schema.json': ['plan.schema.json', 'record.schema.json'],
  'diff.schema.json': ['plan.schema.json', 'audit.schema.json']
}

/** The validator of a schema of the package. */
export function compiled(name: string): ValidateFunction {
  const ajv = strictAjv()
  for (const named of referred[name] ?? []) ajv.addSchema(readSchema(named))
  return ajv.compile(readSchema(name))
}
