import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { calledTool, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { workedWithFrom } from './worked-with.ts';

const numbered = (bodies: readonly EventBody[]): Event[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
const reads = (path: string): EventBody => calledTool(path, 'read_file', { path });

describe('what is being worked with when a message comes', () => {
  it.each([
    ['Now tell me more of it.', true],
    ['Change the limit to 7.5 and go on.', true],
    ['Измени это, пожалуйста.', true],
    ['现在修改它。', true],
    ['And what of src/invoice.js, line 7?', true],
    ['And what of ./src/invoice.js?', true],
    ['Compare invoice.js with src/queue.js.', true],
    ['Read src/queue.js.', false],
    ['Read src/queue.js and lib/größe.ts.', false],
    ['Look at README.md', false],
  ])('%s', (message, isAbout) => {
    verifies('B7');
    const log = numbered([
      said('Read one.'),
      reads('src/a.js'),
      said('Read it.'),
      reads('src/invoice.js'),
      said(message),
    ]);
    expect(workedWithFrom(log)).toBe(isAbout ? 3 : undefined);
  });

  it('is the turn itself once it has begun, and nothing before the first', () => {
    expect(workedWithFrom(numbered([said('one'), reads('a.js'), said('Read b.js'), reads('b.js')]))).toBe(3);
    expect(workedWithFrom(numbered([said('one')]))).toBeUndefined();
    expect(workedWithFrom([])).toBeUndefined();
  });
});
