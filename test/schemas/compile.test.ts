import { describe, expect, it } from 'vitest'
import { readSchema, schemaNames, strictAjv } from './schemas.ts'

/** The schemas that others reference. */
const referred: Readonly<Record<string, readonly string[]>> = {
  'record.schema.json': ['plan.schema.json'],
  'outcomes.schema.json': ['plan.schema.json', 'record.schema.json']
}

describe.each(schemaNames)('%s', name => {
  it('compiles in strict mode with the schemas that it references', () => {
    const ajv = strictAjv()
    for (const named of referred[name] ?? []) ajv.addSchema(readSchema(named))
    expect(() => ajv.compile(readSchema(name))).not.toThrow()
  })

  it('is named after its file and describes itself', () => {
    const { $id, $schema, description } = readSchema(name)
    expect($id).toBe(name)
    expect($schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(description).toEqual(expect.any(String))
  })
})
