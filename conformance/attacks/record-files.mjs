/** Loaded before a program: writes each file and folder that it opens or makes into $RECORD_FILES_TO, a line of JSON each. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const target = process.env['RECORD_FILES_TO'];
const { appendFileSync, existsSync, statSync } = fs;
let isWriting = false;
const note = (what, place) => {
  if (typeof place !== 'string' || target === undefined || isWriting) return;
  let mode;
  try {
    if (what !== 'open') mode = statSync(place).mode;
  } catch {
    // Gone already.
  }
  isWriting = true;
  appendFileSync(target, `${JSON.stringify({ what, path: place, mode })}\n`);
  isWriting = false;
};

/** A file that is not there before and is afterwards was made. */
const watching =
  (open) =>
  (place, ...more) => {
    const isNew = typeof place === 'string' && !existsSync(place);
    const done = open(place, ...more);
    const after = (value) => {
      note(isNew ? 'create' : 'open', place);
      return value;
    };
    return done instanceof Promise ? done.then(after) : after(done);
  };
const making =
  (make) =>
  (place, ...more) => {
    const isNew = typeof place === 'string' && !existsSync(place);
    const done = make(place, ...more);
    const after = (value) => {
      // With `recursive` and from a template the name is the answer.
      if (typeof value === 'string') note('folder', value);
      if (isNew) note('folder', place);
      return value;
    };
    return done instanceof Promise ? done.then(after) : after(done);
  };

for (const module of [fs, fs.promises]) {
  for (const name of ['openSync', 'readFileSync', 'writeFileSync', 'open', 'readFile', 'writeFile']) {
    const isCallback = module === fs && !name.endsWith('Sync');
    if (typeof module[name] === 'function' && !isCallback) module[name] = watching(module[name]);
  }
  for (const name of ['mkdirSync', 'mkdtempSync', 'mkdir', 'mkdtemp']) {
    const isCallback = module === fs && !name.endsWith('Sync');
    if (typeof module[name] === 'function' && !isCallback) module[name] = making(module[name]);
  }
}
syncBuiltinESMExports();
