/** A flood is thrown away as it comes. `npm run bench:floods` measures all kinds of it against the goal of 64 MB. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { FLOODS, SMALL } from '../../bench/floods/cases.ts';
import { MB } from '../../bench/floods/endless.ts';
import { peakOf } from '../../bench/floods/peak.ts';
import { terminalPeakOf } from '../../bench/floods/terminal-peak.ts';
import { verifies } from '../requirements.ts';
import { expectWithin } from '../support/budget.ts';
import { everyNth } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';

/** Twice the goal: one run each, on a machine that does other things besides. Before there were limits it was 200 MB. */
const MOST_MB = 128;

describe.skipIf(process.platform !== 'linux')('the memory of a run', () => {
  const LARGE: [name: string, bytes: number][] = [
    ['a command that prints 1 GB', 256 * MB],
    ['… with arguments without end', 128 * MB],
    ['an MCP server whose result never ends', 128 * MB],
    ['the terminal app, read slowly: a command that prints', 256 * MB],
  ];
  it.each(everyNth(LARGE, 2))(
    'hardly grows with %s',
    async (name, bytes) => {
      verifies('L1', 'B11');
      const flood = FLOODS.find((each) => each.name === name);
      if (flood === undefined) throw new Error(name);
      const peak = async (size: number): Promise<number> => {
        const [folder, home] = [scratchFolder(), scratchFolder()];
        const { args, close } = await flood.open(size, folder, home);
        onTestFinished(close);
        const isSlow = flood.terminal === 'slow';
        const found = flood.terminal
          ? await terminalPeakOf({ args, folder, home, isSlow, program: MAIN })
          : await peakOf(args, home, [], MAIN);
        return found.bytes / MB;
      };
      const quiet = await peak(SMALL);
      expect(quiet).toBeGreaterThan(0);
      const advice = 'Something keeps what it should throw away: `npm run bench:floods` shows each case by itself.';
      const budget = { what: `The memory of ${name}`, most: MOST_MB, unit: 'MB', advice };
      expectWithin(budget, Math.ceil((await peak(bytes)) - quiet));
    },
    90_000,
  );
});
