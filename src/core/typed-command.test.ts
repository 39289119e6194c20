import { describe, expect, it } from 'vitest';
import { SESSION_COMMANDS, sessionCommand, typedWords } from './typed-command.ts';

const read = (text: string) => {
  const words = typedWords(text);
  return words && sessionCommand(words);
};

describe('what a person types', () => {
  it('is a command where it is one word behind a slash', () => {
    expect(typedWords('/compact')).toEqual({ name: 'compact', argument: '' });
    expect(typedWords('/Compact  the port\nand the key \n')).toEqual({
      name: 'compact',
      argument: 'the port\nand the key',
    });
    expect(typedWords('/fix2 it')).toEqual({ name: 'fix2', argument: 'it' });
  });

  it.each(['/etc/hosts', '/ compact', '//compact', ' /compact', 'see /compact', '/2', '/'])(
    'is a message otherwise: %j',
    (text) => {
      expect(typedWords(text)).toBeUndefined();
    },
  );
});

describe('the commands of a session', () => {
  it.each([
    ['/compact', { type: 'compact' }],
    ['/compact the port is 4711', { type: 'compact', focus: 'the port is 4711' }],
    ['/undo', { type: 'undo', scope: 'message' }],
    ['/undo step', { type: 'undo' }],
    ['/undo beside', { type: 'undo', on_change: 'beside' }],
    ['/regenerate', { type: 'regenerate' }],
    ['/rename A better name', { type: 'rename', title: 'A better name' }],
    ['/mode plan', { type: 'change_mode', mode: 'plan' }],
    ['/model ollama/qwen3:8b', { type: 'change_model', model: 'ollama/qwen3:8b' }],
  ])('are read from %j', (text, command) => {
    expect(read(text)).toEqual(command);
  });

  it.each(['/undo all', '/regenerate it', '/rename', '/mode', '/mode wild', '/model'])(
    'say in words how they are written: %j',
    (text) => {
      expect(read(text)).toMatch(/^It is \//);
    },
  );

  it('are a table of their own names', () => {
    expect(new Set(SESSION_COMMANDS.map(({ name }) => name)).size).toBe(SESSION_COMMANDS.length);
    expect(read('/nonsense')).toBeUndefined();
  });
});
