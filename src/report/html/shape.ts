/**
 * The keys of the WLANs of a site, in their order. Sites that have the same keys have the same shape: it
 * is a place in a tree that grows with every new key, so that the usual ones cost nothing.
 */
export class Shape {
  readonly #key: string
  readonly #before: Shape | undefined
  readonly size: number
  #next: Map<string, Shape> | undefined
  /** The last one that was asked for. */
  #usual: Shape | undefined

  constructor(key = '', before?: Shape) {
    this.#key = key
    this.#before = before
    this.size = before === undefined ? 0 : before.size + 1
  }

  /** The shape with one key more. */
  with(key: string): Shape {
    this.#next ??= new Map()
    const found = this.#next.get(key) ?? new Shape(key, this)
    this.#next.set(key, found)
    this.#usual = found
    return found
  }

  /** The same for the key in an address, if it is the one that followed last time. */
  usual(address: string, prefix: string): Shape | undefined {
    const usual = this.#usual
    if (usual === undefined || address.length !== prefix.length + usual.#key.length)
      return undefined
    return address.startsWith(prefix) && address.endsWith(usual.#key) ? usual : undefined
  }

  get keys(): readonly string[] {
    const keys: string[] = []
    for (let at: Shape = this; at.#before !== undefined; at = at.#before) keys.push(at.#key)
    return keys.reverse()
  }
}
