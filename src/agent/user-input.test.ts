/** What a person types besides words goes through the sandbox, whatever tools the model has. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { detectSandbox } from '../sandbox/index.ts';
import { openTestAgent, type TestAgentOptions } from '../testing/test-agent.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';

const { kind } = await detectSandbox();

const opened = async (options: Partial<TestAgentOptions>) => {
  const place = scratchFolder();
  putFiles(place, { 'work/a.txt': 'a', 'home/b.txt': 'b' });
  const environment = { ...process.env, HOME: path.join(place, 'home') };
  const agent = await openTestAgent({ folder: path.join(place, 'work'), environment, ...options });
  if (!agent.ok) throw new Error(agent.error.message);
  onTestFinished(() => agent.value.close());
  return { agent: agent.value, outside: path.join(place, 'outside') };
};
const never = new AbortController().signal;

describe.skipIf(kind !== 'bubblewrap')('a command, whatever tools the model has', () => {
  it.each<[string, Partial<TestAgentOptions>]>([
    ['all', {}],
    ['none', { noTools: true }],
    ['some that run nothing', { tools: ['ls', 'read_file'] }],
    ['those of zodollama', { preset: 'zodollama' }],
    ['those of local-harness', { preset: 'local-harness' }],
    ['those of edison', { preset: 'edison' }],
  ])('of a person writes nothing outside: %s', async (_tools, options) => {
    verifies('H10');
    const { agent, outside } = await opened(options);
    await agent.userInput.runCommand(`touch ${outside}`, { signal: never });
    expect(fs.existsSync(outside)).toBe(false);
    expect(agent.confinement).toMatchObject({ kind, confined: true });
    expect(agent.sandbox).toContain('bubblewrap');
  });

  it('of a tool that was added later writes nothing outside', async () => {
    verifies('H10');
    const { agent, outside } = await opened({ noTools: true });
    await agent.setTools(BUILT_IN_TOOLS);
    expect(agent.confinement.confined).toBe(true);
    const ask = async () => ({ decision: 'allow_once' as const });
    await agent.executeTool('bash', { command: `touch ${outside}` }, { ask });
    expect(fs.existsSync(outside)).toBe(false);
  });
});

describe('a prompt by its name', () => {
  it.each(['review', 'init'])(
    'is the one that comes with halter until the person writes their own: %s',
    async (name) => {
      const { agent, outside } = await opened({ noTools: true });
      const { userInput } = agent;
      expect(await userInput.fill(`/${name} the port`)).toMatch(/\n\nthe port$/);
      const config = path.join(path.dirname(outside), 'home/.config/halter');
      putFiles(config, { [`commands/${name}.md`]: 'My own words about $1.' });
      expect(await userInput.fill(`/${name} the port`)).toBe('My own words about the.');
      expect(await userInput.fill(`/${name.toUpperCase()} a`)).toBe('My own words about a.');
      const { commands } = await userInput.commands();
      expect(commands.filter((command) => command.name === name)).toEqual([expect.objectContaining({ from: 'yours' })]);
    },
  );
});
