/** Node options that stop the clock of a program at this time. */
export function stopped(time: string): string[] {
  const now = JSON.stringify(time)
  const script = `globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length > 0 ? given : [${now}])) }
    static now() { return Date.parse(${now}) }
  }`
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
}
