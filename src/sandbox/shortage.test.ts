import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { confinementOf } from '../agent/create-agent/confinement.ts';
import { createProcesses } from '../io/processes.ts';
import { openConfinement } from './confine.ts';
import { detectSandbox, type Probe } from './detect.ts';
import { SandboxShortage } from './shortage.ts';

const bubblewrap = (probe: Probe) =>
  detectSandbox({ platform: 'linux', exists: (file) => file === '/usr/bin/bwrap', probe });
const folders = (home: string) => ({ config: `${home}/c`, data: `${home}/d`, cache: `${home}/e` });
const options = (root: string) => ({
  root,
  addDirs: [],
  paths: folders(root),
  environment: { HOME: root, PATH: process.env['PATH'] },
  network: false,
});

describe('a sandbox that could not be tried', () => {
  it.each([
    ['no file was left', { worked: false, message: 'spawn EMFILE', untried: true as const }],
    [
      'it said so itself',
      { worked: false, message: 'bwrap: Creating new namespace failed: Resource temporarily unavailable' },
    ],
    ['no memory was left', { worked: false, message: 'bwrap: clone: Cannot allocate memory' }],
  ])('refuses commands where %s', async (_why, answer) => {
    verifies('S16');
    const state = await bubblewrap(async () => answer);
    expect(state).toMatchObject({ kind: 'none', untried: true });
    const { report } = await openConfinement(options(scratchFolder()), state);
    expect(report).toMatchObject({
      confined: false,
      text: 'refused',
      refused: expect.stringContaining('could not be tried'),
    });
  });

  it('is told from one that does not work here, with which a person is asked about each command', async () => {
    const state = await bubblewrap(async () => ({ worked: false, message: 'setting up uid map: Permission denied' }));
    expect(state).toEqual({ kind: 'none', reason: expect.stringContaining('does not work here') });
    const { report } = await openConfinement(options(scratchFolder()), state);
    expect([report.text, report.refused]).toEqual(['unsandboxed', undefined]);
  });

  it('is not looked for where a person does without', async () => {
    const root = scratchFolder();
    const system = { ...folders(root), logs: root } as never;
    const { report } = await confinementOf({
      workspace: { root, additionalRoots: [] },
      permissions: { sandbox: false, mode: undefined } as never,
      io: { environment: {}, offline: false },
      system,
      database: undefined,
      startedFiles: () => ({}) as never,
      deniedPrograms: () => [],
    });
    expect(report.refused).toBeUndefined();
  });
});

it('a command whose sandbox cannot be made does not run', async () => {
  verifies('S16');
  const root = scratchFolder();
  const processes = createProcesses({
    root,
    confine: () => Promise.reject(new SandboxShortage('the sandbox could not be made: too many open files')),
    registerExit: () => {},
  });
  const request = { command: ['/bin/sh', '-c', 'touch ran'], confined: true };
  const signal = new AbortController().signal;
  const ran = await processes.run({ ...request, timeoutMs: 5_000, signal, maxOutputBytes: 1_000 });
  expect(ran).toMatchObject({ ok: false, error: { message: expect.stringContaining('was not run') } });
  expect(await processes.open({ ...request, onOutput: () => {} })).toMatchObject({ ok: false });
  await processes.close();
});

it('no command runs without its filter, where the cache and the memory take none', async (context) => {
  verifies('S41');
  const state = await detectSandbox();
  if (state.kind !== 'bubblewrap') return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
  const root = scratchFolder();
  // A file where the folder of the cache would be: nothing can be made in it.
  mkdirSync(path.join(root, 'ws'));
  writeFileSync(path.join(root, 'e'), '');
  const { confine, close } = await openConfinement({ ...options(root), root: path.join(root, 'ws') }, state);
  const confined = await confine?.(['/bin/true'], path.join(root, 'ws'));
  expect(confined?.command).toContain('--seccomp');
  await confined?.finish();
  close();
});
