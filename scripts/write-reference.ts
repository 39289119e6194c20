// Writes what of docs/reference is made from the program's own tables, types and comments: `node scripts/write-reference.ts`.
import { writeFileSync } from 'node:fs';
import { commandLineReference, REFERENCE_FILE } from '../src/cli/reference.ts';
import { HTTP_REFERENCE_FILE, httpReference } from '../src/server/reference.ts';
import { scriptArguments } from './arguments.ts';
import { AUTOLOADED_FILES_REFERENCE_FILE, autoloadedFilesReference } from './reference/autoloaded-files.ts';
import { DIALECTS_REFERENCE_FILE, dialectsReference } from './reference/dialects.ts';
import { ERRORS_REFERENCE_FILE, errorsReference } from './reference/errors.ts';
import { LIBRARY_REFERENCE_FILE, libraryReference } from './reference/library.ts';
import { LLMS_FILE, llmsText } from './reference/llms.ts';
import { PRESETS_REFERENCE_FILE, presetsReference } from './reference/presets.ts';

scriptArguments('node scripts/write-reference.ts');

const pages = {
  [HTTP_REFERENCE_FILE]: httpReference,
  [REFERENCE_FILE]: commandLineReference,
  [DIALECTS_REFERENCE_FILE]: dialectsReference,
  [ERRORS_REFERENCE_FILE]: errorsReference,
  [LIBRARY_REFERENCE_FILE]: libraryReference,
  [AUTOLOADED_FILES_REFERENCE_FILE]: autoloadedFilesReference,
  [PRESETS_REFERENCE_FILE]: presetsReference,
  [LLMS_FILE]: llmsText,
};
for (const [file, write] of Object.entries(pages)) writeFileSync(new URL(`../${file}`, import.meta.url), write());
