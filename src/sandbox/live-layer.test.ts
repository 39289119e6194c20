/** What a person changes in the folder while a background command changes it too. */
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { inSandboxWorld, keptIn } from '../../tests/support/sandbox-world.ts';

describe('what changes outside while a background command changes it too', () => {
  const CASES = {
    'an edit': { meanwhile: 'echo mine >> u.txt', stands: 'mine' },
    'a save by renaming': { meanwhile: 'cp u.txt .u; echo mine >> .u; mv .u u.txt', stands: 'mine' },
    'a removal': { meanwhile: 'rm u.txt', stands: 'No such file' },
  };
  for (const [name, { meanwhile, stands }] of everyNth(Object.entries(CASES), 3)) {
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

  for (const how of ['ended', 'stopped'] as const) {
    inSandboxWorld(
      `is kept where nobody can say whether it still counts when the command has ${how}`,
      async (world) => {
        verifies('S39');
        world.outside("printf 'l1\\n' > u.txt; echo gone > gone.txt");
        let output = '';
        let counts = true;
        const job = await world.processes.open({
          command: [
            '/bin/bash',
            '-c',
            `echo first > before.txt; until [ -e go ]; do sleep 0.02; done
           echo theirs >> u.txt; mkdir -p dist/inner; echo built > dist/inner/a.js; ln -s a.js dist/inner/b; rm gone.txt
           echo WROTE; ${how === 'ended' ? 'exit' : 'sleep 60'}`,
          ],
          confined: true,
          mayWrite: async () => counts,
          onOutput: (text) => {
            output += text;
          },
        });
        if (!job.ok) throw new Error(job.error.message);
        await expect.poll(() => world.outside('cat before.txt'), { timeout: 20_000 }).toBe('first\n');
        counts = false;
        world.outside('touch go');
        await expect.poll(() => output, { timeout: 20_000 }).toContain('WROTE');
        await (how === 'ended' ? job.value.ended : job.value.stop());
        expect(world.outside('cat u.txt gone.txt; ls')).toBe('l1\ngone\nbefore.txt\ngo\ngone.txt\nu.txt\n');
        expect(output).toContain('another halter goes on with it');
        // Without what was put in place before.
        const kept = /kept at (\S+)\]/.exec(output)?.[1] ?? '/nowhere';
        expect(world.outside('find . ! -type d | sort; cat u.txt dist/inner/a.js; readlink dist/inner/b', kept)).toBe(
          './dist/inner/a.js\n./dist/inner/b\n./u.txt\nl1\ntheirs\nbuilt\na.js\n',
        );
      },
    );
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

  const REPLACED = {
    'a file': 'rm -rf u; echo theirs > u',
    'a link': 'rm -rf u; ln -s /etc u',
    nothing: 'rm -rf u',
    'another folder': 'rm -rf u; mkdir u; echo theirs > u/other',
  };
  for (const [name, command] of everyNth(Object.entries(REPLACED), 3)) {
    inSandboxWorld(`stays in a folder that the command puts ${name} in the place of`, async (world) => {
      verifies('S39');
      world.outside('mkdir -p u/inner; echo 1 > u/inner/f');
      let output = '';
      let isDone = false;
      const job = await world.processes.open({
        command: ['/bin/bash', '-c', `${command}; echo WROTE; while :; do sleep 0.05; cat later 2>&1; done`],
        confined: true,
        onOutput: (text) => {
          output += text;
          // Before anything of the command is looked at.
          if (!isDone && output.includes('WROTE')) {
            world.outside('echo mine > u/inner/f; echo new > u/inner/new; echo LATER > later');
          }
          isDone ||= output.includes('WROTE');
        },
      });
      if (!job.ok) throw new Error(job.error.message);
      await expect.poll(() => output, { timeout: 20_000 }).toContain('LATER');
      await job.value.stop();
      expect(world.outside('cat u/inner/f u/inner/new')).toBe('mine\nnew\n');
      if (name !== 'another folder') expect(output).toContain('Not put in place: u');
    });
  }

  inSandboxWorld('is none where a command removes what it made itself', async (world) => {
    let output = '';
    const job = await world.processes.open({
      command: [
        '/bin/bash',
        '-c',
        'mkdir -p u/inner; echo 1 > u/inner/f; ln -s f u/inner/l; while [ ! -e seen ]; do sleep 0.05; done; rm -rf u; echo 2 > u; echo GONE; sleep 60',
      ],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => world.outside('cat u/inner/f'), { timeout: 20_000 }).toBe('1\n');
    world.outside('touch seen');
    await expect.poll(() => output, { timeout: 20_000 }).toContain('GONE');
    await job.value.stop();
    expect(world.outside('cat u')).toBe('2\n');
    expect(output).not.toContain('Not put in place');
  });

  const FOLDERS = {
    'a link that it made': { before: ':', first: 'ln -s docs d' },
    'a file that it made': { before: ':', first: 'echo x > d' },
    'a link that lay there': { before: 'ln -s docs d', first: ':' },
    'a file that lay there': { before: 'echo x > d', first: ':' },
  };
  for (const [name, { before, first }] of everyNth(Object.entries(FOLDERS), 3)) {
    inSandboxWorld(`is none where a command puts a folder in the place of ${name}`, async (world) => {
      verifies('S39');
      world.outside(`mkdir docs; ${before}`);
      let output = '';
      const job = await world.processes.open({
        command: [
          '/bin/bash',
          '-c',
          `${first}; echo 1 > seen; while [ ! -e go ]; do sleep 0.05; done; rm d; mkdir d; echo y > d/f; echo MADE; sleep 60`,
        ],
        confined: true,
        onOutput: (text) => {
          output += text;
        },
      });
      if (!job.ok) throw new Error(job.error.message);
      await expect.poll(() => world.outside('cat seen'), { timeout: 20_000 }).toBe('1\n');
      world.outside('touch go');
      await expect.poll(() => output, { timeout: 20_000 }).toContain('MADE');
      await job.value.stop();
      expect(world.outside('cat d/f; ls docs')).toBe('y\n');
      expect(output).not.toContain('Not put in place');
    });
  }

  inSandboxWorld('stays where a command puts a folder in its place, and that is said', async (world) => {
    verifies('S39');
    world.outside('echo x > d');
    let output = '';
    let isDone = false;
    const job = await world.processes.open({
      command: ['/bin/bash', '-c', 'rm d; mkdir d; echo y > d/f; echo MADE; sleep 60'],
      confined: true,
      onOutput: (text) => {
        output += text;
        // Before anything of the command is looked at.
        if (!isDone && output.includes('MADE')) world.outside('echo mine > d');
        isDone ||= output.includes('MADE');
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => isDone, { timeout: 20_000 }).toBe(true);
    await job.value.stop();
    expect(world.outside('cat d')).toBe('mine\n');
    expect(output).toContain('Not put in place: d');
  });
});
