import { expect, it } from 'vitest';
import { writeFailure } from './disk-failure.ts';

it.for([
  ['ENOSPC', 'a.json cannot be written: the disk is full (ENOSPC). Free some space.'],
  ['EDQUOT', 'a.json cannot be written: your disk quota is used up (EDQUOT). Free some space.'],
  ['EROFS', /the file system is read-only \(EROFS\)\. Make that folder writable/],
  ['EACCES', /you have no permission \(EACCES\)\. Make that folder writable/],
] as const)('tells what can be done about %s', ([code, words]) => {
  const failed = writeFailure('a.json cannot be written', Object.assign(new Error('no'), { code }));
  expect(failed.error.message).toMatch(words);
});
