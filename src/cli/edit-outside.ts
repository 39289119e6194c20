/** Ctrl+G: the text of the prompt in the person's own editor. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Environment } from '../terminal/theme.ts';

/** What people without an EDITOR can leave again, first. */
const USUAL_EDITORS = ['nano', 'micro', 'vim', 'vi'];

/** As a shell reads it. */
const usualEditor = (environment: Environment): string | undefined => {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const files = USUAL_EDITORS.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = files.find((file) => existsSync(file));
  return found && `'${found.replaceAll("'", "'\\''")}'`;
};

/** The editor has the terminal until it ends. The reason where nothing came of it. */
export const editOutside = (
  text: string,
  environment: Environment,
): { ok: true; text: string } | { ok: false; message: string } => {
  const editor = environment['VISUAL'] || environment['EDITOR'] || usualEditor(environment);
  if (!editor) return { ok: false, message: 'No editor is named, and none of the usual ones is here: set EDITOR.' };
  const folder = mkdtempSync(join(tmpdir(), 'halter-prompt-'));
  const file = join(folder, 'prompt.md');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // As git does it: the variable may hold options, so a shell reads it; the file is an argument of its own.
    const ran = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    if (ran.status !== 0) return { ok: false, message: `${editor} did not end well, so the text stays as it was.` };
    return { ok: true, text: readFileSync(file, 'utf8').replace(/\n$/, '') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
