import { expect, it } from 'vitest';
import type { Failure } from '../core/outcome.ts';
import { diskFailure, FolderError, writeFailure } from '../disk/disk-failure.ts';
import { withUnkept } from './unkept-session.ts';

const failed = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });
const UNKEPT = / `--no-session` goes on and keeps nothing\.$/;

it.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'EIO'])(
  'a session that cannot be kept for %s goes on without being kept',
  (code) => {
    for (const { error } of [
      writeFailure('x.lock cannot be written', failed(code)),
      writeFailure('x.lock cannot be written', new FolderError('/x', failed(code))),
      diskFailure('The session cannot be written', failed(code)),
    ])
      expect(withUnkept(error, {}).message).toMatch(UNKEPT);
  },
);

const IN_USE: Failure = { error_type: 'io_error', message: 'Another halter has it open.', reason: 'in_use' };
const FULL = diskFailure('x', failed('ENOSPC')).error;
it.each<[string, Failure, Parameters<typeof withUnkept>[1]]>([
  ['another program has it', IN_USE, {}],
  ['too many files are open', diskFailure('x', failed('EMFILE')).error, {}],
  ['nothing is kept already', FULL, { 'no-session': true }],
  ['a session was named', FULL, { session: 'a' }],
  ['the last one was meant', FULL, { continue: true }],
  ['there is no such session', { error_type: 'not_found', message: 'There is no session.' }, {}],
])('is not offered where %s', (_why, error, flags) => {
  expect(withUnkept(error, flags)).toEqual(error);
});
