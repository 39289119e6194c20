// Writes docs/reference/command-line.md and http.md from the tables that the program itself is made of: `node scripts/write-reference.ts`.
import { writeFileSync } from 'node:fs';
import { commandLineReference, REFERENCE_FILE } from '../src/cli/reference.ts';
import { HTTP_REFERENCE_FILE, httpReference } from '../src/server/reference.ts';

writeFileSync(new URL(`../${HTTP_REFERENCE_FILE}`, import.meta.url), httpReference());
writeFileSync(new URL(`../${REFERENCE_FILE}`, import.meta.url), commandLineReference());
