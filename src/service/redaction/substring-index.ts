/** The length of the shortest part to find. */
const LENGTH = 8

/**
 * Finds parts of many patterns in a text: a hash table of the places of all distinct parts of 8 code units.
 * The work depends on the length of the text, not on the number of patterns. Memory: 2 bytes for each code
 * unit of the patterns and 4 to 16 for each distinct part.
 */
export class SubstringIndex {
  /** The number of looked up parts so far, for tests. */
  work = 0
  /** All patterns, one after the other. */
  #units = new Uint16Array(1024)
  #length = 0
  /** The start of a part plus 1 at the hash of the part, or after it; 0: free. At most half is used. */
  #table = new Uint32Array(1024)
  #count = 0

  /** Adds patterns; one shorter than 8 code units has no such part. */
  add(patterns: readonly string[]): void {
    const long = patterns.filter(({ length }) => length >= LENGTH)
    this.#reserve(long.reduce((sum, { length }) => sum + length, 0))
    for (const pattern of long) {
      const start = this.#length
      writeUnits(this.#units, start, pattern)
      this.#length += pattern.length
      for (let at = start; at + LENGTH <= this.#length; at += 1) this.#insert(at)
    }
  }

  /** For each code unit of a text, 1 if a part covers it. */
  cover(text: string): Uint8Array {
    const covered = new Uint8Array(text.length)
    if (this.#count === 0) return covered
    const units = new Uint16Array(text.length)
    writeUnits(units, 0, text)
    for (let at = 0; at + LENGTH <= units.length; at += 1) {
      this.work += 1
      if (this.#table[this.#slotOf(units, at)] !== 0) covered.fill(1, at, at + LENGTH)
    }
    return covered
  }

  /** The place in the table of the part that starts here; free if the table does not have it. */
  #slotOf(units: Uint16Array, start: number): number {
    const mask = this.#table.length - 1
    for (let slot = hashOf(units, start) & mask; ; slot = (slot + 1) & mask) {
      const found = this.#table[slot] ?? 0
      if (found === 0 || this.#equal(found - 1, units, start)) return slot
    }
  }

  #equal(at: number, units: Uint16Array, start: number): boolean {
    for (let nth = 0; nth < LENGTH; nth += 1) {
      if (this.#units[at + nth] !== units[start + nth]) return false
    }
    return true
  }

  #insert(start: number): void {
    const slot = this.#slotOf(this.#units, start)
    if (this.#table[slot] !== 0) return
    this.#table[slot] = start + 1
    this.#count += 1
  }

  /** Makes room for this number of code units more. */
  #reserve(more: number): void {
    const length = this.#length + more
    if (length > this.#units.length) {
      const larger = new Uint16Array(2 * length)
      larger.set(this.#units.subarray(0, this.#length))
      this.#units = larger
    }
    const least = 2 * (this.#count + more)
    if (least <= this.#table.length) return
    const starts = this.#table.filter(start => start !== 0)
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(least)))
    this.#count = 0
    for (const start of starts) this.#insert(start - 1)
  }
}

function writeUnits(units: Uint16Array, start: number, text: string): void {
  for (let at = 0; at < text.length; at += 1) units[start + at] = text.charCodeAt(at)
}

/** FNV-1a of the part that starts here, with its bits mixed into the low ones. */
function hashOf(units: Uint16Array, start: number): number {
  let hash = 0x811c9dc5
  for (let nth = 0; nth < LENGTH; nth += 1) {
    hash = Math.imul(hash ^ (units[start + nth] ?? 0), 0x01000193)
  }
  return hash ^ (hash >>> 15)
}
