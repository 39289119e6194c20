/** `swap-links NAME TARGET…`: makes NAME a link to one target after the other, as fast as it can, until stdin ends. */
import fs from 'node:fs';

const [name = '', ...targets] = process.argv.slice(2);
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

const swapMany = (from: number): void => {
  for (let turn = from; turn < from + 200; turn += 1) {
    const next = `${name}.next`;
    fs.rmSync(next, { force: true });
    fs.symlinkSync(targets[turn % targets.length] as string, next);
    fs.renameSync(next, name);
  }
  if (!isOver) setImmediate(() => swapMany(from + 200));
};
swapMany(0);
process.stdout.write('swapping\n');
