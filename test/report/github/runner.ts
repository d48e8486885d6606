/** A workflow command as GitHub's runner parses it (actions/runner, `ActionCommand.cs`). */
export interface Taken {
  readonly command: string
  readonly properties: Readonly<Record<string, string>>
  readonly message: string
}

/** The commands in a log, decoded. Everything else is text. */
export function commandsIn(log: string): Taken[] {
  return log.split(/\r\n|[\r\n]/).flatMap(line => {
    const found = /^::([^ :]+)(?: ([^:]*))?::(.*)$/.exec(line.trimStart())
    if (found === null) return []
    const [, command = '', list = '', message = ''] = found
    const pairs = list.split(',').filter(each => each !== '')
    const properties = pairs.map(pair => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), property(pair.slice(at + 1))] as const
    })
    return [{ command, properties: Object.fromEntries(properties), message: data(message) }]
  })
}

function data(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}

function property(text: string): string {
  return data(text.replaceAll('%3A', ':').replaceAll('%2C', ','))
}
