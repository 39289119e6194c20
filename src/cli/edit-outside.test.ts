import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { editOutside } from './edit-outside.ts';

/** An editor that writes its own name behind the text. */
const putEditor = (folder: string, name: string): void =>
  writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s by ${name}' "$(cat "$1")" > "$1"\n`, { mode: 0o755 });

it('takes the editor that is named, else one that is usual, else says what to set', () => {
  const folder = scratchFolder();
  expect(editOutside('draft', { PATH: folder })).toEqual({ ok: false, message: expect.stringContaining('EDITOR') });
  putEditor(folder, 'vi');
  expect(editOutside('draft', { PATH: folder })).toEqual({ ok: true, text: 'draft by vi' });
  putEditor(folder, 'nano');
  expect(editOutside('draft', { PATH: folder })).toEqual({ ok: true, text: 'draft by nano' });
  putEditor(folder, 'own');
  expect(editOutside('draft', { PATH: folder, EDITOR: join(folder, 'own') })).toEqual({
    ok: true,
    text: 'draft by own',
  });
});
