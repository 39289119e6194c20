import { describe, expect, it } from 'vitest';
import { parseCommand } from './commands.ts';

describe('what is typed into the terminal app', () => {
  it('is a command, with what stands behind its name', () => {
    expect(parseCommand('/compact the port\nand the key')).toMatchObject({
      type: 'command',
      command: { name: 'compact' },
      argument: 'the port\nand the key',
    });
    expect(parseCommand('/quit')).toMatchObject({ type: 'command', command: { name: 'exit' } });
  });

  it.each(['/fix2 it', '/constructor', '/zzz'])('is none of these, and so no message either: %j', (text) => {
    expect(parseCommand(text).type).toBe('unknown');
  });

  it.each(['/etc/hosts', 'What does /compact do?'])('is a message: %j', (text) => {
    expect(parseCommand(text).type).toBe('message');
  });
});
