// Loaded into what is measured: writes at its end, to the fourth pipe, the most memory it had, in MB, and
// the seconds of a core that it took, user and system.
const { existsSync, readFileSync, writeSync } = require('node:fs')

/**
 * Kilobytes. What Linux counts as the maximum of a process begins with the size of the one that started
 * it; its high-water mark does not.
 */
function peak() {
  const status = '/proc/self/status'
  if (!existsSync(status)) return process.resourceUsage().maxRSS
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8'))[1])
}

process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  writeSync(3, `${peak() / 1024} ${(userCPUTime + systemCPUTime) / 1e6}`)
})
