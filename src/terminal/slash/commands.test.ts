import { describe, expect, it } from 'vitest';
import { SESSION_COMMANDS, sessionCommand } from '../../core/typed-command.ts';
import { COMMANDS, parseCommand, splitPrompts } from './commands.ts';

describe('what is typed into the terminal app', () => {
  it('is a command, with what stands behind its name', () => {
    expect(parseCommand('/compact the port\nand the key')).toMatchObject({
      type: 'command',
      command: { name: 'compact' },
      argument: 'the port\nand the key',
    });
    expect(parseCommand('/quit')).toMatchObject({ type: 'command', command: { name: 'exit' } });
  });

  it.each(SESSION_COMMANDS)('is what every surface takes, in the same words: /$name', ({ read: _, ...words }) => {
    expect(parseCommand(`/${words.name}`)).toMatchObject({ type: 'command', command: words });
  });

  it('is a prompt of the person’s own wherever no command that acts has the name', () => {
    const prompts = ['review', 'init', 'quit', 'undo', 'exit', 'deploy'].map((name) => ({ name, description: '' }));
    const { usable, hidden } = splitPrompts(prompts);
    expect(usable.map(({ name }) => name)).toEqual(['review', 'init', 'deploy']);
    expect(hidden.map(({ name }) => name)).toEqual(['quit', 'undo', 'exit']);
    for (const { name } of usable) expect(parseCommand(`/${name} x`).type).toBe('unknown');
  });

  it.each(['/fix2 it', '/constructor', '/zzz'])('is none of these, and so no message either: %j', (text) => {
    expect(parseCommand(text).type).toBe('unknown');
  });

  it.each([
    ['/redo', '/regenerate'],
    ['/diff', '!git diff'],
  ])('is another program’s, and what does it here is said: %s', (typed, said) => {
    expect(parseCommand(typed)).toMatchObject({ type: 'unknown', habit: expect.stringContaining(said) });
  });

  it.each(['/etc/hosts', 'What does /compact do?'])('is a message: %j', (text) => {
    expect(parseCommand(text).type).toBe('message');
  });

  it('reads words of a list without case, and everything else as it was typed', () => {
    const listed = [...COMMANDS, ...SESSION_COMMANDS].filter(({ argument = '' }) => /\|/.test(argument));
    expect(listed.length).toBeGreaterThan(5);
    const lacking = listed.filter(({ words = [] }) => words.length === 0).map(({ name }) => `/${name}`);
    expect(lacking, 'name the words of the argument in `words`, so that they are read without case').toEqual([]);
    for (const { name, words = [] } of COMMANDS)
      for (const word of words)
        expect(parseCommand(`/${name} ${word.toUpperCase()}`)).toMatchObject({ command: { name }, argument: word });
    expect(parseCommand('/mcp RECONNECT On-Call')).toMatchObject({ argument: 'reconnect On-Call' });
    expect(parseCommand('/status-line Model, FOLDER')).toMatchObject({ argument: 'model, folder' });
    expect(parseCommand('/rename ON')).toMatchObject({ argument: 'ON' });
    expect(sessionCommand({ name: 'mode', argument: 'Plan' })).toEqual({ type: 'change_mode', mode: 'plan' });
    expect(sessionCommand({ name: 'undo', argument: 'KEEP' })).toEqual({ type: 'undo', on_change: 'keep' });
  });
});
