import { expect, it, vi } from 'vitest';
import { createFakeSession } from '../../tests/e2e/terminal-fake-session.ts';
import { verifies } from '../../tests/requirements.ts';
import { createTypedEarly, runTerminal } from './run-terminal.ts';

it('takes the line end of what was typed before the app began as Enter, and none that comes later', () => {
  const turns: (() => void)[] = [];
  const typed = createTypedEarly((work) => turns.push(work));
  const turn = (): void => turns.shift()?.();
  expect(typed('\n')).toBe('\r');
  turn();
  expect([typed('h'), typed('\n'), typed('\x1b[A')]).toEqual(['h', '\r', '\x1b[A']);
  turn();
  expect([typed('h'), typed('\n'), typed('\r')]).toEqual(['h', '\n', '\r']);
});

it('names the session before, also where what was typed ahead has begun this one', async () => {
  verifies('Z9');
  const session = createFakeSession(async () => {}, 'this-one');
  let screen = '';
  let press: (data: string) => void = () => {};
  const terminal = {
    start: (onInput: (data: string) => void) => {
      press = onInput;
    },
    stop: () => {},
    drainInput: async () => {},
    write: (data: string) => {
      screen += data;
    },
    columns: 100,
    rows: 30,
  };
  const left = runTerminal({
    session,
    openSession: async () => session,
    listSessions: async () => [
      { id: 'this-one', title: '(nothing was said)', when: 'now' },
      { id: 'before', title: 'fix the sum', when: 'yesterday' },
    ],
    tools: [],
    model: { name: 'test-model', endpoint: 'http://127.0.0.1:1' },
    sandbox: { text: 'sandboxed', confined: true },
    environment: { LANG: 'C.UTF-8', NO_COLOR: '1', TERM: 'xterm' },
    terminal: terminal as unknown as NonNullable<Parameters<typeof runTerminal>[0]['terminal']>,
  });
  await vi.waitFor(() => expect(screen).toContain('Last time here: "fix the sum". /sessions goes on'), {
    timeout: 20_000,
  });
  expect(screen).not.toContain('nothing was said');
  press('\x03');
  press('\x03');
  expect(await left).toBe(0);
});
