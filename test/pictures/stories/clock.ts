import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Node options that stop the clock of a program at this time. */
export function stopped(time: string): string[] {
  const now = JSON.stringify(time)
  const script = `globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length > 0 ? given : [${now}])) }
    static now() { return Date.parse(${now}) }
  }`
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
}

/** Adds a `node` with a stopped clock to a folder of commands. */
export function stopNode(bin: string, time: string): void {
  const words = [process.execPath, ...stopped(time)].map(word => `'${word}'`)
  const file = join(bin, 'node')
  writeFileSync(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
  chmodSync(file, 0o755)
}
