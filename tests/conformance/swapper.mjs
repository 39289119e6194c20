// Swaps what a name means, as fast as it can, until its stdin is closed. `swapper.mjs NAME TARGET…` makes NAME a link to
// one target after the other; `swapper.mjs --folder NAME TARGET` puts a link to TARGET in the place of the folder NAME
// and the folder back again.
import fs from 'node:fs';

const asFolder = process.argv[2] === '--folder';
const [name, ...targets] = process.argv.slice(asFolder ? 3 : 2);
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();
let turn = 0;

const nextLink = () => {
  const next = `${name}.next`;
  fs.rmSync(next, { force: true });
  fs.symlinkSync(targets[turn++ % targets.length], next);
  fs.renameSync(next, name);
};

const thereAndBack = () => {
  fs.renameSync(name, `${name}.aside`);
  fs.symlinkSync(targets[0], name);
  fs.unlinkSync(name);
  fs.renameSync(`${name}.aside`, name);
};

const swap = () => {
  for (let count = 0; count < 200; count += 1) (asFolder ? thereAndBack : nextLink)();
  if (!ended) setImmediate(swap);
};
swap();
process.stdout.write('swapping\n');
