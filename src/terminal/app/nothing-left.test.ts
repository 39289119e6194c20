/** What stands on the screen for a while (a question, an opened call, a call that runs) leaves nothing of itself behind. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { ReflowingTerminal, type ResizeManner } from '../../../tests/support/reflowing-terminal.ts';
import { diffTexts, unifiedDiff } from '../../tools/support/diff.ts';
import { PermissionPrompt } from '../questions/permission-prompt.ts';
import { createTheme } from '../theme.ts';
import { noticeItem } from '../transcript/items.ts';
import { Transcript } from '../transcript.ts';
import { type Overlay, type PaintedParts, Painter } from './painter.ts';

const theme = createTheme({ NO_COLOR: '1', LANG: 'C.UTF-8' });
const MOST: Size = [120, 40];

type Size = readonly [columns: number, rows: number];
type Act =
  | { do: 'size'; size: Size }
  | { do: 'say'; lines: number }
  | { do: 'ask'; lines: number }
  | { do: 'draft'; text: string }
  | { do: 'print' }
  | { do: 'answer' }
  | { do: 'run' }
  | { do: 'output'; lines: number }
  | { do: 'notice' }
  | { do: 'end' }
  | { do: 'open'; lines: number }
  | { do: 'close' };

const questionOf = (lines: number): PermissionPrompt => {
  const content = Array.from({ length: lines }, (_, index) => `asked ${index};\n`).join('');
  return new PermissionPrompt(
    {
      callId: 'c1',
      name: 'write_file',
      arguments: { path: 'a.txt', content },
      risk: 'high',
      rule: { tool: 'write_file', pattern: '=a.txt' },
      mainArgument: 'path',
      sandbox: { text: 'sandboxed', confined: true },
      preview: { summary: 'write a.txt', diff: unifiedDiff('a.txt', diffTexts('', content), true) },
    },
    theme,
  );
};
const opened = (lines: number): Overlay => ({
  lines: (_, rows) => Array.from({ length: Math.min(lines, rows) }, (_, index) => `detail ${index}`),
  key: () => true,
});

/** A play of it: a frame after each act. */
class Play {
  readonly terminal: ReflowingTerminal;
  readonly #transcript = new Transcript(theme, []);
  readonly #painter: Painter;
  #question: PermissionPrompt | undefined;
  #overlay: Overlay | undefined;
  #isRunning = false;
  #draft = '';
  #said = 0;
  #seq = 0;

  constructor(manner: ResizeManner, [columns, rows]: Size) {
    this.terminal = new ReflowingTerminal(manner, columns, rows);
    const isAsked = (): boolean => this.#question !== undefined;
    const parts = {
      transcript: () => this.#transcript,
      activity: () => ({ line: () => (this.#isRunning ? ['⠋ working', ''] : []) }),
      shell: { isRunning: false, line: () => [] },
      overlay: () => this.#overlay,
      questions: {
        get current() {
          return question();
        },
        get isDrafted() {
          return isAsked() && draft() !== '';
        },
      },
      outbox: { lines: () => [] },
      prompt: {
        render: (width: number) => ({
          lines: ['─'.repeat(width), `PROMPT ${draft()}`, '─'.repeat(width)],
          cursor: { row: 1, column: 7 + draft().length },
        }),
        get text() {
          return draft();
        },
      },
      takeBackKey: '',
      footer: ({ width }: { width: number }) => 'FOOTER'.padEnd(width, '.').slice(0, width),
    };
    const question = (): PermissionPrompt | undefined => this.#question;
    const draft = (): string => this.#draft;
    this.#painter = new Painter(this.terminal, theme, parts as unknown as PaintedParts, {
      reflows: manner === 'tmux',
    });
    this.#draw();
  }

  act(act: Act): void {
    this.#change(act);
    this.#draw();
  }

  /** How often each thing stands in the scrollback and on the screen. */
  counts(): Record<string, number> {
    const text = this.terminal.all().join('\n');
    const count = (part: string): number => text.split(part).length - 1;
    const said = Array.from({ length: this.#said }, (_, index) => count(`<${index}>`));
    return {
      'said once': said.filter((each) => each === 1).length,
      footer: count('FOOTER'),
      prompt: count('PROMPT'),
      call: count('write_file'),
      waits: count('waiting for you'),
      asked: count('asked'),
      question: count('Permission Request') + count('[1]') + count('Risk:'),
      turns: count('⠋'),
      detail: count('detail'),
      notices: count('notice;'),
    };
  }

  get said(): number {
    return this.#said;
  }

  #draw(): void {
    this.#painter.draw(0, 0);
    this.#question?.shown(0);
  }

  #tell(event: object): void {
    this.#seq += 1;
    this.#transcript.apply({ seq: this.#seq, at: 0, ...event } as unknown as Parameters<Transcript['apply']>[0], 0);
  }

  #say(lines: number, calls: object[] = []): void {
    const content = Array.from({ length: lines }, (_, index) => `<${this.#said + index}>`).join('\n\n');
    this.#said += lines;
    this.#tell({ type: 'assistant_message_added', message: { content, tool_calls: calls } });
  }

  #change(act: Act): void {
    const call = { id: 'c1', name: 'write_file', arguments: { path: 'a.txt' }, repairs: [] };
    if (act.do === 'size') this.terminal.resize(...act.size);
    if (act.do === 'say') this.#say(act.lines);
    if (act.do === 'ask') {
      this.#overlay = undefined;
      this.#say(1, [call]);
      this.#tell({ type: 'permission_requested', tool_call_id: 'c1' });
      this.#question = questionOf(act.lines);
    }
    if (act.do === 'draft') this.#draft = act.text;
    if (act.do === 'print') {
      const answer = this.#question?.key('e', 10_000);
      if (answer?.type === 'open') this.#painter.print(answer.lines);
    }
    if (act.do === 'answer') {
      this.#question = undefined;
      this.#tell({ type: 'permission_resolved', tool_call_id: 'c1', decision: 'deny' });
      this.#tell({ type: 'tool_finished', tool_call_id: 'c1', result: { success: false, data: null, metadata: {} } });
    }
    if (act.do === 'run') {
      this.#isRunning = true;
      this.#say(1, [call]);
      this.#tell({ type: 'tool_started', tool_call_id: 'c1' });
    }
    if (act.do === 'output') {
      const delta = 'output '.repeat(15).trim().concat('\n').repeat(act.lines);
      this.#transcript.apply({ type: 'tool_output_delta', tool_call_id: 'c1', delta }, 0);
    }
    if (act.do === 'notice') this.#transcript.add(noticeItem('warning', `notice; ${'and more of it '.repeat(12)}`));
    if (act.do === 'end') {
      this.#isRunning = false;
      this.#tell({ type: 'tool_finished', tool_call_id: 'c1', result: { success: true, data: '', metadata: {} } });
    }
    if (act.do === 'open') this.#overlay = opened(act.lines);
    if (act.do === 'close') this.#overlay = undefined;
  }
}

const sizes = (...list: Size[]): Act[] => list.map((size) => ({ do: 'size', size }));
const TALL = 80;
const SMALL = 2;
const BEFORE: Act = { do: 'say', lines: 60 };
const DRAFT: Act = { do: 'draft', text: 'a message' };
const SENT: Act = { do: 'draft', text: '' };
const LIVE: Act[] = [{ do: 'run' }, { do: 'output', lines: 8 }, { do: 'notice' }, { do: 'notice' }];

/** Each begins in a window of 120 columns and 40 rows. */
const PLAYS: Record<string, Act[]> = {
  'a call that is opened and closed': [BEFORE, { do: 'open', lines: 100 }, { do: 'close' }],
  'a short list that is opened and closed': [BEFORE, { do: 'open', lines: 9 }, { do: 'close' }],
  'an opened call, closed in a smaller window': [
    BEFORE,
    { do: 'open', lines: 100 },
    ...sizes([44, 16]),
    { do: 'close' },
  ],
  'an opened call, closed in a smaller window that grows again': [
    BEFORE,
    { do: 'open', lines: 100 },
    ...sizes([44, 16]),
    { do: 'close' },
    ...sizes(MOST),
  ],
  'an opened call while an answer comes': [
    BEFORE,
    { do: 'open', lines: 100 },
    { do: 'say', lines: 30 },
    ...sizes([80, 24], [60, 30]),
    { do: 'close' },
  ],
  'an opened call, over which a question comes': [
    BEFORE,
    { do: 'open', lines: 100 },
    ...sizes([80, 24]),
    { do: 'ask', lines: TALL },
    ...sizes([44, 16]),
    { do: 'answer' },
  ],
  'a tall question, answered in a smaller window': [
    BEFORE,
    { do: 'ask', lines: TALL },
    ...sizes([44, 16]),
    { do: 'answer' },
  ],
  'a tall question, answered behind several sizes': [
    BEFORE,
    { do: 'ask', lines: TALL },
    ...sizes([44, 16], [80, 24], [20, 6], [10, 4], [5, 2], MOST),
    { do: 'answer' },
  ],
  'a tall question over a message': [
    BEFORE,
    DRAFT,
    { do: 'ask', lines: TALL },
    ...sizes([44, 16], MOST),
    { do: 'answer' },
    SENT,
  ],
  'a short question in a window that grows again': [
    BEFORE,
    { do: 'ask', lines: SMALL },
    ...sizes([44, 16], MOST),
    { do: 'answer' },
  ],
  'a short question over a message, in several sizes': [
    BEFORE,
    DRAFT,
    { do: 'ask', lines: SMALL },
    ...sizes([44, 12], [80, 20], [44, 12], MOST),
    { do: 'answer' },
    SENT,
  ],
  'a short question in a window that becomes tiny': [
    BEFORE,
    { do: 'ask', lines: SMALL },
    ...sizes([20, 6], [10, 4], [5, 2], MOST),
    { do: 'answer' },
  ],
  'a call that runs, in a window that grows again': [BEFORE, ...LIVE, ...sizes([44, 10], MOST), { do: 'end' }],
  'a call that runs, in several sizes': [
    BEFORE,
    ...LIVE,
    ...sizes([44, 12], [40, 8], [44, 12], [80, 24], MOST),
    { do: 'end' },
  ],
  'a call that runs, behind an opened one': [
    BEFORE,
    ...LIVE,
    ...sizes([44, 12]),
    { do: 'open', lines: 100 },
    ...sizes([80, 24]),
    { do: 'output', lines: 9 },
    { do: 'close' },
    ...sizes(MOST),
    { do: 'end' },
  ],
};

const wrongAfter = (manner: ResizeManner, acts: readonly Act[]): string[] => {
  const play = new Play(manner, MOST);
  for (const act of acts) play.act(act);
  const calls = acts.filter((act) => act.do === 'answer' || act.do === 'end').length;
  const notices = acts.filter((act) => act.do === 'notice').length;
  const wanted = {
    'said once': play.said,
    footer: 1,
    prompt: 1,
    call: calls,
    waits: 0,
    asked: 0,
    question: 0,
    turns: 0,
    detail: 0,
    notices,
  };
  const counts = play.counts();
  return Object.entries(wanted).flatMap(([name, count]) =>
    counts[name] === count ? [] : [`${name}: ${counts[name]} for ${count}`],
  );
};

/** They need a terminal that brings rows back out of its scrollback. */
const BROUGHT_BACK = /^a call that runs|over a message, in several/;

describe.each(Object.entries(PLAYS))('%s', (name, acts) => {
  const manners = (['tmux', 'cuts'] as const).filter((manner) => manner === 'tmux' || !BROUGHT_BACK.test(name));
  it.each(manners)('leaves each thing once, and nothing that is over (%s)', (manner) => {
    verifies('Z19');
    expect(wrongAfter(manner, acts)).toEqual([]);
  });
});

describe('what stands over the conversation', () => {
  it.each([9, 100])('gives the screen back as it was (%i lines)', (lines) => {
    verifies('Z19');
    const play = new Play('tmux', MOST);
    play.act(BEFORE);
    const before = play.terminal.screen();
    play.act({ do: 'open', lines });
    expect(play.terminal.screen()).not.toEqual(before);
    play.act({ do: 'close' });
    expect(play.terminal.screen()).toEqual(before);
  });

  it('leaves nothing behind any sequence of sizes', () => {
    verifies('Z19');
    const size = (columns: number, rows: number): fc.Arbitrary<Size> =>
      fc.tuple(fc.integer({ min: columns, max: MOST[0] }), fc.integer({ min: rows, max: MOST[1] }));
    const resizes = fc.array(size(5, 2), { maxLength: 4 }).map((list) => sizes(...list));
    // As many rows come back as the window grows by.
    const resize = size(60, 20).map((each) => sizes(each));
    const stage = fc.oneof(
      resizes.map((list): Act[] => [{ do: 'open', lines: 100 }, ...list, { do: 'close' }, ...sizes(MOST)]),
      resizes.map((list): Act[] => [{ do: 'ask', lines: TALL }, ...list, ...sizes(MOST), { do: 'answer' }]),
      resize.map((list): Act[] => [{ do: 'ask', lines: SMALL }, ...list, ...sizes(MOST), { do: 'answer' }]),
      resize.map((list): Act[] => [...LIVE, ...list, ...sizes(MOST), { do: 'end' }]),
      fc.constant<Act[]>([{ do: 'say', lines: 5 }]),
    );
    fc.assert(
      fc.property(fc.array(stage, { maxLength: 5 }), (stages) => {
        expect(wrongAfter('tmux', [BEFORE, ...stages.flat()])).toEqual([]);
      }),
      { numRuns: rounds(40, 2_000) },
    );
  });
});
