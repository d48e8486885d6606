/** The versions of Node that the package names as its engines, oldest first; from the last one on, all. */
const engines = [
  [20, 19],
  [22, 12],
  [24, 0]
] as const

/** True for a version like `v20.19.4` that is one of the engines. */
export function isSupported(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [newest] = engines[engines.length - 1] ?? [0]
  if (major >= newest) return true
  return engines.some(([line, least]) => major === line && minor >= least)
}
