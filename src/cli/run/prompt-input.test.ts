import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { fakeIo } from '../../../tests/support/fake-io.ts';
import { AGENT_LIMITS } from '../../agent/limits.ts';
import { readPrompt } from './prompt-input.ts';

describe('the prompt of a run', () => {
  it('is the words of the command line, with what was piped in behind them', async () => {
    verifies('B11');
    expect(await readPrompt(['Review', 'this'], fakeIo({ stdin: 'diff --git a b\n' }))).toEqual({
      ok: true,
      value: 'Review this\n\ndiff --git a b',
    });
    expect(await readPrompt([], fakeIo({ stdin: 'only piped\n' }))).toEqual({ ok: true, value: 'only piped' });
    expect(await readPrompt(['only', 'typed'], fakeIo())).toEqual({ ok: true, value: 'only typed' });
  });

  it('does not read from a terminal', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    expect(await readPrompt(['hello'], fakeIo({ stdin }))).toEqual({ ok: true, value: 'hello' });
  });

  it('keeps letters whole that come in two pieces', async () => {
    const bytes = Buffer.from('größe');
    const stdin = new PassThrough();
    const prompt = readPrompt([], fakeIo({ stdin }));
    stdin.write(bytes.subarray(0, 3));
    stdin.end(bytes.subarray(3));
    expect(await prompt).toEqual({ ok: true, value: 'größe' });
  });

  it.each([
    ['nothing', [], '', 'There is no prompt'],
    ['bytes that are no text', [], Buffer.from([0xff, 0xfe, 0x00]), 'not text'],
    ['text with a NUL', [], 'a\0b', 'not text'],
    ['more than a message may hold', [], 'x'.repeat(AGENT_LIMITS.userMessageCharacters + 1), 'longer than 2,000,000'],
    [
      'far more than that',
      [],
      Buffer.alloc(AGENT_LIMITS.userMessageCharacters * 4, 'x'),
      'longer than 6,000,000 bytes',
    ],
  ])('refuses %s', async (_what, words, stdin, message) => {
    const prompt = await readPrompt(words, fakeIo({ stdin }));
    expect(prompt.ok).toBe(false);
    if (!prompt.ok) expect(prompt.error.message).toContain(message);
  });

  it('says what it waits for when the pipe stays open', async () => {
    const stdin = new PassThrough();
    const io = fakeIo({ stdin });
    let told: (() => void) | undefined;
    const notice = new Promise<void>((resolve) => {
      told = resolve;
    });
    const write = io.stderr.write;
    io.stderr.write = (text) => {
      write(text);
      told?.();
    };
    const prompt = readPrompt(['hello'], io);
    await notice;
    stdin.end();
    expect(io.err()).toContain('waiting for the end of standard input');
    expect(await prompt).toEqual({ ok: true, value: 'hello' });
  });
});
