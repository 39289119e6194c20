/** Reads the AGENTS.md of the person and of the workspace, through the port for files. */
import { join } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import type { Workspace } from '../../core/ports.ts';
import { INSTRUCTIONS_FILE, type Instructions } from '../../core/project-instructions.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { readOwnFile } from '../../storage/own-file.ts';
import { createTrustFile } from '../../storage/trust-file.ts';

/** Never fails: what cannot be read is left out, and said where it is there. */
export const readInstructions = async (
  workspace: Pick<Workspace, 'root' | 'stat' | 'readFile'>,
  /** The person's; undefined: none of theirs is read. */
  configFolder: string | undefined,
  onWarning: (code: string, message: string) => void,
): Promise<Instructions[]> => {
  const found: Instructions[] = [];
  const own =
    configFolder === undefined
      ? undefined
      : await readOwnFile(join(configFolder, INSTRUCTIONS_FILE), STORAGE_LIMITS.customCommandBytes, 'it is not used');
  if (own && !own.ok) onWarning('instructions', own.error.message);
  else if (own?.value) found.push({ from: `your own ${INSTRUCTIONS_FILE}`, text: decode(own.value) });
  const there = await workspace.stat(INSTRUCTIONS_FILE);
  if (!there.ok && there.error.error_type === 'not_found') return found;
  const read = await workspace.readFile(INSTRUCTIONS_FILE, { maxBytes: LIMITS.readFileBytes });
  if (!read.ok) onWarning('instructions', `${INSTRUCTIONS_FILE} is not used: ${read.error.message}`);
  else
    found.push({
      from: INSTRUCTIONS_FILE,
      text: decode(read.value.bytes),
      untrusted: !(await isTrusted(workspace.root, configFolder)),
    });
  return found;
};

const isTrusted = async (root: string, configFolder: string | undefined): Promise<boolean> =>
  configFolder !== undefined && (await createTrustFile({ folder: configFolder }).isTrusted(root)).trusted;

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
