import { describe, expect, it } from 'vitest'
import { compiled, readSchema, schemaNames } from './schemas.ts'

describe.each(schemaNames)('%s', name => {
  it('compiles in strict mode with the schemas that it references', () => {
    expect(() => compiled(name)).not.toThrow()
  })

  it('is named after its file and describes itself', () => {
    const { $id, $schema, description } = readSchema(name)
    expect($id).toBe(name)
    expect($schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(description).toEqual(expect.any(String))
  })
})
