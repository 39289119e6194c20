/** A second halter that has a session open and writes the folder's index: `hold-locks.ts HOME ROOT SESSION`. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { indexFile } from '../../src/search/index-file.ts';
import { halterPaths } from '../../src/storage/paths.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';

const [home = '', root = '', session = ''] = process.argv.slice(2);
const paths = halterPaths({ HOME: home }, process.platform);
const opened = await new SessionFiles({ folder: paths.sessions }).open(session);
if (!opened.ok) throw new Error(opened.error.message);
const file = indexFile(paths.data, root);
mkdirSync(dirname(file), { recursive: true });
const database = new DatabaseSync(file);
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS held(x); BEGIN EXCLUSIVE');
process.stdout.write('held\n');
// Until the one who started it ends it, or ends.
process.stdin.resume().on('end', () => process.exit(0));
