/** The footer's gauge: what the next prompt holds, also where the server has not counted it yet. */
import { describe, expect, it } from 'vitest';
import type { SessionUpdate } from '../../core/events.ts';
import { createTheme } from '../theme.ts';
import { Activity } from './activity.ts';

const view = { width: 200, theme: createTheme({}), now: 0, frame: 0 };
const footer = (activity: Activity): string =>
  activity.footer(view, { mode: 'ask', model: 'm', contextLength: 16_384, sandbox: 'sandbox' });
const answered = (prompt_tokens: number): SessionUpdate => ({
  type: 'assistant_message_added',
  seq: 1,
  at: 1,
  message: {
    role: 'assistant',
    content: 'ok',
    tool_calls: [],
    finish: 'stop',
    usage: { prompt_tokens, completion_tokens: 10, cached_tokens: prompt_tokens / 2, seconds: 1 },
  },
});
const compacted: SessionUpdate = {
  type: 'context_compacted',
  seq: 2,
  at: 2,
  kept_from_seq: 1,
  summary: '',
  report: { before_tokens: 12_000, after_tokens: 3_100, turns: 4, results: 2 },
};

describe('the gauge in the footer', () => {
  it('shows what the server counted, and the share that was reused', () => {
    const activity = new Activity();
    activity.apply(answered(11_990), 0);
    expect(footer(activity)).toContain('12.0k of 16.4k context (73 %)');
    expect(footer(activity)).toContain('50 % reused');
  });

  it('shows the new state as soon as room was made', () => {
    const activity = new Activity();
    activity.apply(answered(11_990), 0);
    activity.apply(compacted, 1);
    expect(footer(activity)).toContain('about 3.1k of 16.4k context (19 %)');
    expect(footer(activity)).not.toContain('reused');
    activity.apply(answered(3_190), 2);
    expect(footer(activity)).toContain('3.2k of 16.4k context (20 %)');
    expect(footer(activity)).not.toContain('about');
  });

  it('goes back with the conversation', () => {
    const activity = new Activity();
    activity.apply(answered(11_990), 0);
    activity.moved({ tokens: 2_000, isEstimated: false });
    expect(footer(activity)).toContain('2.0k of 16.4k context (12 %)');
    activity.moved(undefined);
    expect(footer(activity)).not.toContain('%');
  });
});

describe('the footer in windows of every width', () => {
  const facts = {
    mode: 'ask',
    model: 'qwen3:8b',
    contextLength: 32_768,
    sandbox: 'bubblewrap, no network',
    folder: 'proj',
    branch: 'main',
  } as const;
  const said = (width: number): string => {
    const activity = new Activity();
    activity.apply({ ...answered(1_990) }, 0);
    return activity.footer({ ...view, theme: createTheme({ NO_COLOR: '1' }, 'dark', 'plain'), width }, facts);
  };
  const plain = (text: string): string => text.replaceAll(/\x1b\[[\d;]*m/g, '');

  it('says folder, branch, model and context in 80 columns, and what matters most in fewer', () => {
    expect(plain(said(79))).toBe('ask · proj (main) · qwen3:8b · 2.0k of 32.8k (6 %) · bubblewrap, no network');
    expect(plain(said(59))).toBe('ask · proj (main) · qwen3:8b · 2.0k of 32.8k · no network');
    expect(plain(said(39))).toBe('ask · qwen3:8b · 6 % · no network');
    expect(plain(said(19))).toBe('ask · no network');
  });

  it('is never wider than the window', () => {
    for (let width = 9; width < 130; width += 1) expect(plain(said(width)).length).toBeLessThanOrEqual(width);
  });
});

describe('a message on its way', () => {
  it('is told from one that stands in the conversation, which a screen reader reads first', () => {
    const activity = new Activity();
    activity.sent(0);
    expect(activity.isSending).toBe(true);
    activity.apply({ type: 'user_message_added', seq: 1, at: 1, content: 'hello' }, 1);
    expect([activity.isSending, activity.spoken([])]).toEqual([false, 'Waiting for the model.']);
  });
});
