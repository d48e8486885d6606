import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'

/** A file system in memory, on Linux. */
const PLACE = '/dev/shm'

/** Ten times the size that the tests need at once. */
const BYTES = 512 * 1024 * 1024

/**
 * A folder in memory for temporary files; undefined if it does not exist, is too small, or is mounted
 * `noexec`, as in a container. A folder with two files costs 2 ms of CPU and up to 6 ms of waiting on a disk,
 * 0.1 ms in memory, and the tests create thousands.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(PLACE)
    return bavail * bsize >= BYTES && canRunPrograms() ? PLACE : undefined
  } catch {
    return undefined
  }
}

function canRunPrograms(): boolean {
  const folder = mkdtempSync(`${PLACE}/wlanctl-test-`)
  try {
    writeFileSync(`${folder}/program`, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(`${folder}/program`).status === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}
