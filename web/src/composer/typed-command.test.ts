import { describe, expect, it } from 'vitest';
import { readTyped } from './typed-command.ts';

describe('what is written into the field of the page', () => {
  it('is a command where it is one', () => {
    expect(readTyped('/compact')).toEqual({ type: 'command', command: { type: 'compact' } });
    expect(readTyped('/compact the port is 4711')).toEqual({
      type: 'command',
      command: { type: 'compact', focus: 'the port is 4711' },
    });
    expect(readTyped('/new')).toEqual({ type: 'new_session' });
  });

  it.each(['What is in /etc/hosts?', '/etc/hosts', ' /compact', '// a comment', '/'])('is a message: %j', (text) => {
    expect(readTyped(text)).toEqual({ type: 'message' });
  });

  it.each([
    ['/compcat now', 'There is no command /compcat on this page. Did you mean /compact?'],
    ['/fork', 'Fork is in the menu of the session'],
    ['/zzz', 'Commands: /compact'],
    ['/constructor', 'There is no command /constructor'],
  ])('is never sent to the model where it is no command here: %j', (text, words) => {
    const typed = readTyped(text);
    expect(typed).toMatchObject({ type: 'told', text: expect.stringContaining(words) });
    expect(typed).toMatchObject({ text: expect.stringContaining('With a blank in front it is sent as a message.') });
    expect(typed).not.toHaveProperty('isDone');
  });

  it('is told in words where a command is written otherwise', () => {
    expect(readTyped('/mode wild')).toEqual({ type: 'told', text: 'It is /mode plan, ask, edit, auto, yolo.' });
  });

  it('lists the commands', () => {
    expect(readTyped('/help')).toMatchObject({ type: 'told', isDone: true, text: expect.stringContaining('/compact') });
  });
});
