import { describe, expect, it } from 'vitest';
import type { EventBody, SessionUpdate } from '../core/events.ts';
import { createTheme } from './theme.ts';
import { Transcript } from './transcript.ts';

const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');

/** What is printed for good after these updates, without styles. */
const printed = (updates: readonly (EventBody | Exclude<SessionUpdate, { seq: number }>)[]): string[] => {
  const transcript = new Transcript(theme, []);
  transcript.endPast();
  for (const [index, update] of updates.entries()) {
    const isProgress = update.type === 'model_started' || update.type === 'text_delta' || update.type === 'warning';
    transcript.apply((isProgress ? update : { seq: index + 1, at: index, ...update }) as SessionUpdate, index);
  }
  const view = { width: 60, theme, now: updates.length, frame: 0 };
  const lines: string[] = transcript.take(view);
  lines.push(...transcript.live(view, 40, lines));
  return lines.map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, '')).filter((line) => line !== '');
};

const asked: EventBody = { type: 'user_message_added', content: 'tell me' };
const started = { type: 'model_started', model: 'm', iteration: 1 } as const;
const stopped: EventBody = { type: 'run_cancelled' };
const said = (content: string): EventBody => ({
  type: 'assistant_message_added',
  message: { role: 'assistant', content, tool_calls: [], finish: 'cancelled' },
});

describe('transcript', () => {
  it.each([
    {
      name: 'whose words had been seen',
      between: [{ type: 'text_delta', delta: 'Partial' } as const],
    },
    // Words that may yet become a call are not shown while they come.
    { name: 'whose words had not been seen', between: [] },
  ])('puts the end of an answer $name before the word that it was stopped', ({ between }) => {
    expect(printed([asked, started, ...between, stopped, said('Partial answer')])).toEqual([
      '❯ tell me',
      'Partial answer',
      '· Stopped.',
    ]);
  });

  it('tells of a server that is tried again in one line', () => {
    const again = (message: string) => ({ type: 'warning', code: 'retrying', message }) as const;
    const failed: EventBody = { type: 'model_failed', code: 'server_error', message: 'It answered 500.' };
    const tries = [again('again (1 of 3)'), again('again (2 of 3)')];
    expect(printed([asked, started, ...tries])).toEqual(['❯ tell me', '⚠ again (2 of 3)']);
    expect(printed([asked, started, ...tries, failed])).toEqual([
      '❯ tell me',
      '⚠ again (2 of 3)',
      '✗ It answered 500.',
    ]);
  });

  it('says at once that a run was stopped where the model has nothing more to say', () => {
    const failed: EventBody = { type: 'model_failed', code: 'cancelled', message: 'The request was cancelled.' };
    expect(printed([asked, started, stopped, failed])).toEqual(['❯ tell me', '· Stopped.']);
    expect(printed([asked, started, said('first'), stopped])).toEqual(['❯ tell me', 'first', '· Stopped.']);
  });
});
