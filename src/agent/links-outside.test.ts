/** Links that lead out of the folder, over the ways to its files that are no tools: nothing comes by them, and that is said. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { createWorkspace } from '../io/workspace.ts';
import { readCustomCommands } from '../storage/custom-commands.ts';
import { readFolderServers } from '../storage/mcp-files.ts';
import { readProjectConfig } from '../storage/project-config.ts';
import { openTestAgent, type TestAgentOptions } from '../testing/test-agent.ts';
import { readInstructions } from './session/project-instructions.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const CANARY = 'CANARY';
/** What each way expects to find, with the canary in it. */
const OUTSIDE: Record<string, string | Buffer> = {
  'secret.txt': CANARY,
  'AGENTS.md': CANARY,
  '.halter/commands/go.md': CANARY,
  'commands/go.md': CANARY,
  'go.md': CANARY,
  'config.json': `{"preset": "${CANARY}"}`,
  '.halter/config.json': `{"preset": "${CANARY}"}`,
  'servers.json': `{"mcpServers": {"${CANARY}": {"command": "true"}}}`,
  'p.png': PIXEL,
};
const world = () => {
  const place = scratchFolder();
  putFiles(place, { 'home/b.txt': 'b', 'work/in/y.txt': 'y' });
  for (const [name, content] of Object.entries(OUTSIDE))
    putFiles(path.join(place, 'outside/deep'), { [name]: content, 'd/x': '' });
  return { work: path.join(place, 'work'), outside: path.join(place, 'outside/deep'), home: path.join(place, 'home') };
};
type World = ReturnType<typeof world>;

const link = (work: string, name: string, target: string): void => {
  fs.mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
  fs.symlinkSync(target, path.join(work, name));
};
const up = (name: string): string => '../'.repeat(name.split('/').length);

/** Each makes `name` in the folder lead to `to` of the folder outside. */
const LINKS: Record<string, (world: World, name: string, to: string) => void> = {
  'a link': ({ work }, name, to) => link(work, name, `${up(name)}outside/deep/${to}`),
  'a link to a link': ({ work }, name, to) => {
    link(work, 'in/hop', `../../outside/deep/${to}`);
    link(work, name, `${up(name).slice(3)}in/hop`);
  },
  'a link through a folder that is one': ({ work }, name, to) => {
    link(work, 'in/out', '../../outside');
    link(work, name, `${up(name).slice(3)}in/out/deep/${to}`);
  },
  '.. behind a link': ({ work }, name, to) => {
    link(work, 'in/d', '../../outside/deep/d');
    link(work, name, `${up(name).slice(3)}in/d/../${to}`);
  },
  '/proc/self/root': ({ work, outside }, name, to) => link(work, name, `/proc/self/root${outside}/${to}`),
};

const agentIn = async ({ work, home }: World, options: Partial<TestAgentOptions> = {}) => {
  const agent = await openTestAgent({
    folder: work,
    environment: { HOME: home, PATH: process.env['PATH'] },
    ...options,
  });
  if (!agent.ok) throw new Error(agent.error.message);
  onTestFinished(() => agent.value.close());
  return agent.value;
};
const workspaceIn = async ({ work }: World) => {
  const made = await createWorkspace({ root: work });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
};

type Way = { name: string; to: string; use(world: World): Promise<{ came: unknown; said: string }> };
const mention =
  (text: string) =>
  async (world: World): Promise<{ came: unknown; said: string }> => {
    const { content, problems } = await (await agentIn(world)).userInput.expand(text);
    return { came: typeof content === 'string' ? [] : content.slice(1), said: problems.join('\n') };
  };
const WAYS: Record<string, Way> = {
  'a file that a message names': { name: 'notes', to: 'secret.txt', use: mention('Read @notes, please.') },
  'a folder that a message names': { name: 'docs', to: '.', use: mention('Read @docs/ now') },
  'a file of a folder that a message names': { name: 'docs', to: '.', use: mention('Read @docs/secret.txt') },
  'a picture that a message names': { name: 'dot.png', to: 'p.png', use: mention('Look at @dot.png') },
  'a picture on the page': {
    name: 'dot.png',
    to: 'p.png',
    async use(world) {
      const picture = await (await agentIn(world)).pictures.ofWorkspace('dot.png', AbortSignal.timeout(60_000));
      return picture.ok ? { came: picture.value, said: '' } : { came: [], said: picture.error.message };
    },
  },
  'AGENTS.md': {
    name: 'AGENTS.md',
    to: 'AGENTS.md',
    async use(world) {
      const said: string[] = [];
      const came = await readInstructions(await workspaceIn(world), undefined, (_, message) => said.push(message));
      return { came, said: said.join('\n') };
    },
  },
  ...Object.fromEntries(
    [
      ['a command of the folder', '.halter/commands/go.md', 'go.md'],
      ['the folder of commands', '.halter/commands', 'commands'],
      ["the folder's own settings of halter", '.halter', '.halter'],
    ].map(([what, name, to]): [string, Way] => [
      what as string,
      {
        name: name as string,
        to: to as string,
        async use(world) {
          const workspace = await workspaceIn(world);
          const { commands, warnings } = await readCustomCommands({
            configFolder: world.home,
            workspace,
            trusted: true,
          });
          return { came: commands, said: warnings.join('\n') };
        },
      },
    ]),
  ),
  '.halter/config.json': {
    name: '.halter/config.json',
    to: 'config.json',
    async use(world) {
      const { config, warnings } = await readProjectConfig(await workspaceIn(world), true);
      return { came: Object.keys(config), said: warnings.join('\n') };
    },
  },
  '.mcp.json': {
    name: '.mcp.json',
    to: 'servers.json',
    async use(world) {
      const read = await readFolderServers(await workspaceIn(world));
      if (read === undefined) return { came: [], said: '' };
      return read.ok ? { came: read.value, said: '' } : { came: [], said: read.error.message };
    },
  },
};

describe.each(Object.entries(LINKS))('%s that leads out of the folder', (_, lead) => {
  it.each(Object.entries(WAYS))('brings nothing, and that is said: %s', async (_way, { name, to, use }) => {
    verifies('H10', 'S11');
    const made = world();
    lead(made, name, to);
    const { came, said } = await use(made);
    expect(came).toEqual([]);
    expect(said).toContain('leads outside the workspace through a link');
    expect(said).not.toContain(CANARY);
  });
});
