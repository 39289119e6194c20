// Writes docs/reference/command-line.md from the tables that the program itself is made of: `node scripts/write-reference.ts`.
import { writeFileSync } from 'node:fs';
import { commandLineReference, REFERENCE_FILE } from '../src/cli/reference.ts';

writeFileSync(new URL(`../${REFERENCE_FILE}`, import.meta.url), commandLineReference());
