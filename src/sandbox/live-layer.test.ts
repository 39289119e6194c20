/** What a person changes in the folder while a background command changes it too. */
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld, keptIn } from '../../tests/support/sandbox-world.ts';

describe('what changes outside while a background command changes it too', () => {
  const CASES = {
    'an edit': { meanwhile: 'echo mine >> u.txt', stands: 'mine' },
    'a save by renaming': { meanwhile: 'cp u.txt .u; echo mine >> .u; mv .u u.txt', stands: 'mine' },
    'a removal': { meanwhile: 'rm u.txt', stands: 'No such file' },
  };
  for (const [name, { meanwhile, stands }] of Object.entries(CASES)) {
    inSandboxWorld(`stays, and the command's version is kept: ${name}`, async (world) => {
      verifies('S39');
      world.outside("printf 'l1\\n' > u.txt");
      let output = '';
      let isDone = false;
      const job = await world.processes.open({
        command: ['/bin/bash', '-c', 'echo theirs >> u.txt; echo WROTE; sleep 60'],
        confined: true,
        onOutput: (text) => {
          output += text;
          // Before anything of the command is looked at.
          if (!isDone && output.includes('WROTE')) world.outside(meanwhile);
          isDone ||= output.includes('WROTE');
        },
      });
      if (!job.ok) throw new Error(job.error.message);
      await expect.poll(() => isDone, { timeout: 20_000 }).toBe(true);
      await job.value.stop();
      expect(world.outside('cat u.txt')).toContain(stands);
      const kept = /kept at (\S+)\]/.exec(output)?.[1];
      expect(output).toContain('Not put in place: u.txt');
      expect(keptIn(kept ?? '')).toBe('l1\ntheirs\n');
    });
  }

  inSandboxWorld('is none where the person saves again and again what the command reads', async (world) => {
    world.outside('echo 0 > u.txt');
    let output = '';
    const job = await world.processes.open({
      command: ['/bin/bash', '-c', 'echo UP; while :; do tail -n 1 u.txt; sleep 0.05; done'],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => output, { timeout: 20_000 }).toContain('UP');
    for (let round = 1; round < 20; round += 1) {
      world.outside(`echo round-${round} > .u; mv .u u.txt`);
      if (round % 5 === 0) await expect.poll(() => output, { timeout: 20_000 }).toContain(`round-${round}`);
    }
    await expect.poll(() => output, { timeout: 20_000 }).toContain('round-19');
    await job.value.stop();
    expect(output).not.toContain('Not put in place');
    expect(world.outside('cat u.txt')).toBe('round-19\n');
  });
});
