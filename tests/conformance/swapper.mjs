// Swaps what a name means, as fast as it can: a link to a file inside, a link to one outside, a folder, a link to a
// folder outside. Ends when its parent closes its stdin.
import fs from 'node:fs';

const [, , name, ...targets] = process.argv;
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();
let turn = 0;
const swap = () => {
  for (let count = 0; count < 200; count += 1) {
    const next = `${name}.next`;
    fs.rmSync(next, { force: true });
    fs.symlinkSync(targets[turn++ % targets.length], next);
    fs.renameSync(next, name);
  }
  if (!ended) setImmediate(swap);
};
swap();
process.stdout.write('swapping\n');
