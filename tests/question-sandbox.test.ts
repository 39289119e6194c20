/** A question says by a fact of its own whether the call runs in the sandbox of commands, so that no surface goes by names. */
import { expect, it } from 'vitest';
import type { EventOf } from '../src/core/events.ts';
import { defineTool } from '../src/core/tool/define-tool.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { assembled, nextEvent, openedSession } from './support/assembled.ts';
import { scratchFolder } from './support/scratch.ts';

/** A program's own tool starts its process where it likes, whatever it says of itself. */
const OWN = (['process', 'write', 'network'] as const).map((effects) =>
  defineTool({
    name: `own_${effects}`,
    description: 'Does something with a command.',
    risk: 'high',
    effects,
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
    run: () => 'done',
  }),
);

const asked = async (name: string, args: Record<string, string>): Promise<EventOf<'permission_requested'>> => {
  const agent = await assembled({
    folder: scratchFolder(),
    modelProvider: scriptedProvider([{ calls: [{ name, arguments: args }] }, { text: 'done' }], {
      models: [{ id: 'm' }],
    }),
    model: 'm',
    plugins: { tools: OWN, dialects: [], providers: {}, commands: [] },
    onAsk: 'wait',
    sandbox: false,
  });
  const session = await openedSession(agent);
  const question = nextEvent(session, 'permission_requested');
  await session.send({ type: 'send_message', content: 'go' });
  const event = await question;
  await session.send({ type: 'cancel' });
  await session.idle();
  return event;
};

it.each([
  ['bash', { command: 'rm a.txt' }, true],
  ['bash', { command: 'curl https://a.test/x' }, true],
  ['write_file', { path: 'a.txt', content: 'one' }, undefined],
  ['own_process', { command: 'rm a.txt' }, undefined],
  ['own_write', { command: 'rm a.txt' }, undefined],
  ['own_network', { command: 'rm a.txt' }, undefined],
] as const)('%s %j: in the sandbox: %s', async (name, args, isInSandbox) => {
  verifies('H7');
  expect((await asked(name, args)).in_sandbox).toBe(isInSandbox);
});

it('is said by the tools of commands alone', () => {
  verifies('H7');
  expect(BUILT_IN_TOOLS.filter((tool) => tool.in_sandbox).map(({ name }) => name)).toEqual(['bash', 'write_job']);
});
