/**
 * The order of test files. A clean clone has no times of a run before, and Vitest's own order without them is by size, so
 * that a minute-long file may begin when all others are done. Those that mostly wait begin first, beside those that compute.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The beginnings of paths, longest first: what takes half a minute, then what starts programs and browsers. */
const FIRST: readonly string[] = [
  'tests/e2e/fleet',
  'tests/conformance/confinement',
  'tests/e2e/workers',
  'src/storage/postgres',
  'tests/conformance/tools',
  'tests/e2e/terminal.',
  'tests/e2e/mcp-conformance',
  'tests/browser/conversation',
  'tests/e2e/peers.',
  'tests/docs',
  'tests/e2e/package',
  'tests/conformance/',
  'tests/examples',
  'tests/embedded-',
  'tests/browser/',
  'tests/e2e/',
  'src/dialects/linear-time',
  'src/storage/',
  'src/sandbox/',
];

const placeOf = (file: string): number => {
  const place = FIRST.findIndex((beginning) => file.startsWith(beginning));
  return place < 0 ? FIRST.length : place;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => placeOf(relative(this.ctx.config.root, moduleId));
    return sorted.sort((one, other) => place(one) - place(other));
  }
}
