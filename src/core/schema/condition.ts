import { above, child, type Pointer, steps } from '../values/pointer.ts'
import { isEmpty, isList, type Value } from '../values/value.ts'
import { type Condition, fieldAt, type SwitchValue, schemaRoot } from './field.ts'

export interface ConditionField {
  readonly pointer: Pointer
  readonly path: readonly string[]
}

/** Returns the value of a field of one WLAN; undefined or null if it is absent. */
export type ReadField = (field: ConditionField) => Value | undefined

/** `inDoubt` is the result for a value that the schema does not know. */
type Test = (read: ReadField, inDoubt: boolean) => boolean

const named: Readonly<Record<string, Condition>> = schemaRoot['x-wlanctl']?.conditions ?? {}

export const conditionNames: readonly string[] = Object.keys(named)

const tests = new Map<string, Test>()

/**
 * True if a WLAN meets a condition, given by its name, or by the pointer of a switch that has to be on. A
 * value that the schema does not know may use every field: with `inDoubt`, it meets the condition.
 */
export function isMet(condition: string, read: ReadField, inDoubt = true): boolean {
  let test = tests.get(condition)
  if (test === undefined) {
    test = condition.startsWith('/') ? valueTest(condition, [true]) : testOf(conditionAt(condition))
    tests.set(condition, test)
  }
  return test(read, inDoubt)
}

export function conditionAt(name: string): Condition {
  const condition = named[name]
  if (condition === undefined) throw new Error(`no condition ${name} in the schema`)
  return condition
}

function testOf(condition: Condition): Test {
  if (typeof condition === 'string') return (read, inDoubt) => isMet(condition, read, inDoubt)
  if ('not' in condition) {
    const inner = testOf(condition.not as Condition)
    return (read, inDoubt) => !inner(read, !inDoubt)
  }
  if ('any' in condition) {
    const inner = (condition.any as readonly Condition[]).map(testOf)
    return (read, inDoubt) => inner.some(test => test(read, inDoubt))
  }
  if ('empty' in condition) {
    const pointer = condition.empty as Pointer
    const field = { pointer, path: steps(pointer) }
    const older = olderOf(pointer)
    const { emptyIsValue } = fieldAt(pointer)
    return read => {
      const value = read(field)
      if (emptyIsValue && value === '') return false
      return isEmpty(value) && (older === undefined || isEmpty(read(older)))
    }
  }
  const inner =
    'all' in condition
      ? (condition.all as readonly Condition[]).map(testOf)
      : Object.entries(condition).map(([at, values]) => valueTest(at, values))
  const [only, ...others] = inner
  if (only !== undefined && others.length === 0) return only
  return (read, inDoubt) => inner.every(test => test(read, inDoubt))
}

/** The older name of the same fact, if the field has one. */
function olderOf(pointer: Pointer): ConditionField | undefined {
  const { older } = fieldAt(pointer)
  const path = steps(pointer).slice(0, -1)
  return older === undefined
    ? undefined
    : { pointer: child(above(pointer).at(-1) ?? '', older), path: [...path, older] }
}

/** A list has a value if one of its elements is that value. */
function valueTest(pointer: Pointer, values: readonly SwitchValue[]): Test {
  const { whenAbsent, choices, emptyIsValue = false } = fieldAt(pointer)
  const [field, older] = [{ pointer, path: steps(pointer) }, olderOf(pointer)]
  const wanted = new Set<unknown>(values)
  return (read, inDoubt) => {
    const value = read(field)
    const isUnknown = isEmpty(value) && older !== undefined && !isEmpty(read(older))
    const isAbsent = isEmpty(value) && !isUnknown && !(emptyIsValue && value === '')
    const actual = isAbsent ? whenAbsent : value
    const mayBe = (each: unknown) => inDoubt && choices?.has(each) === false
    if (!isList(actual)) return wanted.has(actual) || mayBe(actual)
    return actual.some(each => wanted.has(each) || mayBe(each))
  }
}
