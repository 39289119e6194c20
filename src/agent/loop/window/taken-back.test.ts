/** A server that reads everything: an ordinary log is not taken for a cut, and an earlier version's wrong guess goes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { TEXT_KINDS, type TextKind } from '../../../../tests/support/text-kinds.ts';
import recorded from '../../../../tests/support/token-counts.json' with { type: 'json' };
import type { LearnedWindow } from '../../../core/learned-window.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import { KnownWindows } from './known-windows.ts';

/** As o200k counts the kinds of text; what is left, as estimated. */
const sizeOf = ({ messages, tools }: ModelRequest): number => {
  let text = messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
  let tokens = estimateTokens(JSON.stringify(tools)) * 0.93;
  for (const kind of Object.keys(TEXT_KINDS) as TextKind[]) {
    const parts = text.split(TEXT_KINDS[kind]());
    tokens += (parts.length - 1) * recorded.counts.o200k_base[kind];
    text = parts.join('\n');
  }
  return Math.round(tokens + estimateTokens(text));
};

describe.each([
  ['told', 131_072, {}],
  ['hidden', undefined, {}],
  ['given by the person', undefined, { contextLength: 65_536 }],
] as const)('a window that is %s', (_how, told, options) => {
  it.each(['ruled_log', 'rules_equals', 'padded_table', 'blanks_and_hashes'] satisfies TextKind[])(
    'stays as it is where %s is read',
    async (kind) => {
      verifies('B7');
      const scripted = scriptedProvider(
        (request) => ({ text: 'Read.', usage: { prompt_tokens: sizeOf(request), completion_tokens: 5 } }),
        { models: [{ id: 'test-model', ...(told === undefined ? {} : { context_length: told }) }] },
      );
      const agent = await assembled({
        modelProvider: scripted,
        mode: 'yolo',
        environment: { HOME: scratchFolder() },
        ...options,
      });
      const session = await openedSession(agent);
      const codes: string[] = [];
      session.subscribe((update) => {
        if (update.type === 'warning') codes.push(update.code);
      });
      for (const message of ['Hello', TEXT_KINDS[kind](), TEXT_KINDS[kind](), 'And now?']) await say(session, message);
      expect(codes).toEqual([]);
      expect(scripted.requests).toHaveLength(4);
      await session.close();
    },
  );
});

describe('a window that was learned from a cut', () => {
  const known = (learned: LearnedWindow) => {
    const kept: (LearnedWindow | undefined)[] = [];
    const windows = new KnownWindows({
      provider: { describe: async () => ({ ok: false, error: { code: 'server_error', message: '' } }) },
      model: 'm',
      contextTokens: learned.tokens,
      told: { told: learned.told },
      isLearned: true,
      learned: () => learned,
      onLearned: (_model, now) => kept.push(now),
    });
    return { windows, kept };
  };

  it.each([
    ['a larger prompt is tried at once where an earlier version learned it, up to what is told', {}, 20_000, true],
    ['nothing larger is tried at once where it is known what was cut', { cut_from: 9_000 }, 3_000, false],
  ])('%s', (_how, extra, tokens, isTried) => {
    const { windows } = known({ tokens: 2_302, told: 65_536, is_cut: true, ...extra });
    expect(windows.tries('m', tokens)).toBe(isTried);
  });

  it.each([
    ['of an earlier version, clearly above it', {}, 3_051, true],
    ['of an earlier version, a little above it', {}, 2_400, false],
    ['as large as the one that was cut', { cut_from: 9_000 }, 9_100, true],
    ['smaller than the one that was cut', { cut_from: 9_000 }, 3_051, false],
  ])('is taken back by a count %s: %j, %i', (_how, extra, read, isTakenBack) => {
    verifies('B7');
    const { windows, kept } = known({ tokens: 2_302, told: 65_536, is_cut: true, ...extra });
    expect(windows.grow('m', read)).toBe(isTakenBack);
    expect(windows.get('m')).toBe(isTakenBack ? 65_536 : read);
    expect(kept.at(-1)?.tokens).toBe(isTakenBack ? undefined : read);
  });
});

it('a guess that an earlier version kept is gone from the next process on where the server reads all, and that is said once', async () => {
  verifies('B7');
  const home = scratchFolder();
  const meet = async (window: number, messages: readonly string[]) => {
    const scripted = scriptedProvider(
      (request) => ({
        text: 'Read.',
        usage: { prompt_tokens: Math.min(window, sizeOf(request)), completion_tokens: 5 },
      }),
      { models: [{ id: 'test-model', context_length: 131_072 }] },
    );
    const agent = await assembled({ modelProvider: scripted, mode: 'yolo', environment: { HOME: home } });
    const session = await openedSession(agent);
    const codes: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'warning') codes.push(update.code);
    });
    for (const message of messages) await say(session, message);
    const report = await agent.context({ id: session.id });
    await session.close();
    await agent.close();
    return { codes, shown: report.ok ? report.value.context_length : undefined };
  };
  const long = TEXT_KINDS.prose().repeat(3);
  const cut = await meet(3_001, ['Hello', long, 'Hello', long]);
  expect(cut.codes).toContain('prompt_truncated');
  expect(cut.shown).toBeLessThanOrEqual(3_100);
  for (const file of speedFilesIn(home)) {
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/"cut_from": ?\d+,?/);
    writeFileSync(file, text.replace(/"cut_from": ?\d+,?/, ''));
  }
  const read = await meet(131_072, ['Hello', long, long]);
  expect(read.codes.filter((code) => code === 'window_taken_back')).toHaveLength(1);
  expect(read.shown).toBe(131_072);
  const next = await meet(131_072, [long]);
  expect(next).toEqual({ codes: [], shown: 131_072 });
});

const speedFilesIn = (home: string): string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('model-speeds.json'))
    .map((name) => join(home, name));
