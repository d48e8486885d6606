import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'

/** A file system in memory, on Linux. */
const PLACE = '/dev/shm'

/** The tests need a tenth of it at the same time. */
const BYTES = 512 * 1024 * 1024

/**
 * A folder in memory for temporary files; undefined where there is none, it is too small, or no program may
 * run from it, as in a container. A folder with two files costs a disk 2 ms of CPU and up to 6 ms of
 * waiting, memory 0.1 ms, and the tests make thousands of them.
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
