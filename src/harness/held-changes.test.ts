/** A command that changes files which other programs obey, and the program that answers for the person. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { PermissionDecision } from '../core/events.ts';
import { detectSandbox } from '../sandbox/index.ts';
import { scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';
import type { PermissionRequest } from './permission.ts';

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

const play = async (options: Partial<HarnessOptions>) => {
  const workspace = scratchFolder();
  // Its line says nothing of what it writes.
  const command = 'sh make.sh';
  writeFileSync(join(workspace, 'make.sh'), 'echo x > .bashrc; echo y > .nanorc; echo fine > kept\n');
  const provider = scriptedProvider([{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'done' }]);
  const agent = createHarness({ model: 'scripted', provider, workspace, tools: BUILT_IN_TOOLS, ...options });
  const { toolCalls } = await agent.chat('go');
  await agent.close();
  const [call] = toolCalls;
  return {
    result: call?.result,
    isKept: existsSync(join(workspace, '.bashrc')),
    restIsKept: existsSync(join(workspace, 'kept')),
  };
};

const answer = (asked: PermissionRequest[], decision: PermissionDecision) => (question: PermissionRequest) => {
  asked.push(question);
  return decision;
};

describe('a change that is held at the end of a command', () => {
  const ALLOW = { allow: ['bash'] };
  const CASES: readonly {
    name: string;
    options: (asked: PermissionRequest[]) => Partial<HarnessOptions>;
    questions: number;
    isKept: boolean;
  }[] = [
    {
      name: 'is kept where the answer is yes',
      options: (asked) => ({ permissions: ALLOW, onPermission: answer(asked, 'remember') }),
      questions: 1,
      isKept: true,
    },
    {
      name: 'is taken back where the answer is no',
      options: (asked) => ({ permissions: ALLOW, onPermission: answer(asked, 'deny') }),
      questions: 1,
      isKept: false,
    },
    {
      name: 'is taken back where nobody answers',
      options: () => ({ permissions: ALLOW }),
      questions: 0,
      isKept: false,
    },
    {
      name: 'is taken back where a rule denies it',
      options: (asked) => ({
        permissions: { ...ALLOW, deny: ['write_file'] },
        onPermission: answer(asked, 'allow_once'),
      }),
      questions: 0,
      isKept: false,
    },
    {
      name: 'is asked about in a mode that asks about nothing',
      options: (asked) => ({
        permissions: { ...ALLOW, mode: 'yolo' },
        onPermission: answer(asked, 'deny'),
      }),
      questions: 1,
      isKept: false,
    },
  ];
  for (const { name, options, questions, isKept } of CASES) {
    it(name, { timeout: 60_000 }, async (context) => {
      verifies('S44');
      if (!works) context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
      const asked: PermissionRequest[] = [];
      const played = await play(options(asked));
      expect(asked).toHaveLength(questions);
      expect([played.isKept, played.restIsKept]).toEqual([isKept, true]);
      expect(played.result?.success).toBe(isKept);
      if (questions === 0) return;
      expect(asked[0]).toMatchObject({
        name: 'bash',
        risk: 'high',
        because: expect.stringContaining('the command has run'),
        preview: {
          summary: expect.stringContaining('.bashrc'),
          diff: expect.stringMatching(/ \.bashrc:\n[\s\S]*\+x[\s\S]* \.nanorc:\n[\s\S]*\+y/),
        },
      });
    });
  }
});
