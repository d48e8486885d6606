import { expect, it, onTestFinished } from 'vitest'
import { expectUnpolluted } from './unpolluted.ts'

it.each([Object.prototype, Array.prototype, Function.prototype, String.prototype])(
  'a member added to a prototype is detected',
  prototype => {
    onTestFinished(() => expectUnpolluted())
    Object.defineProperty(prototype, 'polluted', { value: 1, configurable: true })
    try {
      expect(expectUnpolluted).toThrow()
    } finally {
      Reflect.deleteProperty(prototype, 'polluted')
    }
  }
)
