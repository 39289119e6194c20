/**
 * Programs that tests start by their source. Started from `.ts`, each of them strips the types of some hundred files again,
 * which takes five times as long as what most of them do; a test run builds them once (see bundle-threads.ts).
 */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(import.meta.dirname);
/** Set for the processes of a test run: where the built ones are. */
export const BUILT_PROGRAMS = 'HALTER_TEST_PROGRAMS';

/** As globs from the root. A module is here too, where tests import it in a process of its own. */
export const PROGRAMS: readonly string[] = [
  'conformance/attacks/{one-call,scripted-mcp-server,start-there,swap-links}.ts',
  'conformance/crash/{hold-locks,huge-session,writer}.ts',
  'src/cli/hide-environment.ts',
  'src/io/{processes,workspace}.ts',
  'src/sandbox/confine.ts',
  'src/search/open-retrieval.ts',
  'src/storage/{policies-file,postgres,session-files}.ts',
  'tests/conformance/mcp/client.ts',
  'tests/conformance/writer.ts',
  'tests/e2e/terminal-program.ts',
];

/** What to start: the built file in a test run, the source elsewhere. */
export const programFile = (source: URL): string => {
  const file = fileURLToPath(source);
  const folder = process.env[BUILT_PROGRAMS];
  if (folder === undefined) return file;
  const built = join(folder, relative(ROOT, file).replace(/\.ts$/, '.js'));
  return existsSync(built) ? built : file;
};
