import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longer than their size suggests: properties, campaigns, and tests of timeouts. */
const LONG = /\/campaigns\/|\/ci\/.*slow|\/soak\/|oracle|executable|\/properties\.test\.ts$/

/**
 * The order of the test files. Vitest starts with the largest files, or with the slowest of its cache; this
 * sequencer starts with the files of `LONG` in each project, so that no slow file starts last.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    return projects.flatMap(name => {
      const own = sorted.filter(({ project }) => project.name === name)
      const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
      return [...own.filter(isLong), ...own.filter(file => !isLong(file))]
    })
  }
}
