import { describe, expect, it } from 'vitest'
import { readSchema, schemaNames, strictAjv } from './schemas.ts'

describe.each(schemaNames)('%s', name => {
  it('compiles in strict mode, with no other schema at hand but that of a plan', () => {
    const ajv = strictAjv()
    if (name === 'record.schema.json') ajv.addSchema(readSchema('plan.schema.json'))
    expect(() => ajv.compile(readSchema(name))).not.toThrow()
  })

  it('is named after its file and describes itself', () => {
    const { $id, $schema, description } = readSchema(name)
    expect($id).toBe(name)
    expect($schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(description).toEqual(expect.any(String))
  })
})
