import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const program = createRequire(import.meta.url).resolve(
  'yaml-language-server/bin/yaml-language-server'
)

/** A diagnostic with its line and column, counted from 1. */
export interface Diagnostic {
  readonly line: number
  readonly column: number
  readonly message: string
}

interface Range {
  readonly start: { readonly line: number; readonly character: number }
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
}

/** The language server that editors use for YAML, over its standard streams. */
export class LanguageServer {
  readonly #server: ChildProcess
  readonly #answers = new Map<number, (result: unknown) => void>()
  readonly #published = new Map<string, (diagnostics: readonly Diagnostic[]) => void>()
  readonly #settings: object
  #input = Buffer.alloc(0)
  #requests = 0
  #documents = 0

  private constructor(schema: URL) {
    this.#settings = { schemas: { [schema.href]: '*.yaml' }, schemaStore: { enable: false } }
    this.#server = spawn(process.execPath, [program, '--stdio'], {
      stdio: ['pipe', 'pipe', 'inherit']
    })
    this.#server.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk))
  }

  /** Starts a server that checks every document against the schema. */
  static async start(schema: URL): Promise<LanguageServer> {
    const server = new LanguageServer(schema)
    const capabilities = { workspace: { configuration: true } }
    await server.#request('initialize', { processId: null, rootUri: null, capabilities })
    server.#send({ method: 'initialized', params: {} })
    return server
  }

  stop(): void {
    this.#server.kill()
  }

  /** The diagnostics of a document. */
  async diagnose(text: string): Promise<readonly Diagnostic[]> {
    const { diagnostics } = await this.#open(text)
    return diagnostics
  }

  /** The labels offered at the end of a document. */
  async complete(text: string): Promise<readonly string[]> {
    const { uri } = await this.#open(text)
    const lines = text.split('\n')
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
    const result = await this.#request('textDocument/completion', {
      textDocument: { uri },
      position
    })
    return (result as { items: readonly { label: string }[] }).items.map(({ label }) => label)
  }

  /** The hover text on the first occurrence of a word. */
  async hover(text: string, word: string): Promise<string> {
    const { uri } = await this.#open(text)
    const before = text.slice(0, text.indexOf(word)).split('\n')
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
    const result = await this.#request('textDocument/hover', { textDocument: { uri }, position })
    return JSON.stringify(result)
  }

  #open(text: string): Promise<{ uri: string; diagnostics: readonly Diagnostic[] }> {
    this.#documents += 1
    const uri = `file:///fleet/${this.#documents}.yaml`
    const textDocument = { uri, languageId: 'yaml', version: 1, text }
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } })
    return new Promise(resolve =>
      this.#published.set(uri, diagnostics => resolve({ uri, diagnostics }))
    )
  }

  #request(method: string, params: object): Promise<unknown> {
    this.#requests += 1
    const id = this.#requests
    this.#send({ id, method, params })
    return new Promise(resolve => this.#answers.set(id, resolve))
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#server.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  #receive(chunk: Buffer): void {
    this.#input = Buffer.concat([this.#input, chunk])
    for (;;) {
      const head = this.#input.indexOf('\r\n\r\n')
      const length = Number(/Content-Length: (\d+)/i.exec(this.#input.toString('latin1'))?.[1])
      const end = head + 4 + length
      if (head < 0 || this.#input.length < end) return
      const body = this.#input.subarray(head + 4, end).toString()
      this.#input = this.#input.subarray(end)
      this.#handle(JSON.parse(body))
    }
  }

  #handle({ id, method, params, result }: Message): void {
    if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as {
        uri: string
        diagnostics: readonly { range: Range; message: string }[]
      }
      this.#published.get(uri)?.(diagnostics.map(diagnosticOf))
    } else if (method !== undefined && id !== undefined) {
      this.#send({ id, result: this.#answer(method, params) })
    } else if (id !== undefined) {
      this.#answers.get(id)?.(result)
    }
  }

  /** The server asks for its settings, section by section. */
  #answer(method: string, params: unknown): unknown {
    if (method !== 'workspace/configuration') return null
    const { items } = params as { items: readonly { section: string }[] }
    return items.map(({ section }) => (section === 'yaml' ? this.#settings : null))
  }
}

function diagnosticOf({ range, message }: { range: Range; message: string }): Diagnostic {
  return { line: range.start.line + 1, column: range.start.character + 1, message }
}
