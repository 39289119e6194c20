import { describe, expect, it } from 'vitest';
import type { Job } from '../../core/ports.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { createKeybindings } from '../keybindings.ts';
import { widthOf } from '../text.ts';
import { createTheme } from '../theme.ts';
import { fixedItem, type Item } from '../transcript/items.ts';
import { COMMANDS } from './commands.ts';
import { headerItem, helpItem, jobsItem, serversItem, toolsItem } from './listings.ts';
import { windowLines } from './window-report.ts';

const theme = createTheme({ LANG: 'C.UTF-8' });
const window = (counted_tokens: number | null, contextLength: number | undefined): Item => {
  const parts = [
    { label: 'instructions', tokens: 1_024 },
    { label: '20 tools, described to it', tokens: 123_456 },
    { label: 'results of tools', tokens: 98_765 },
  ];
  const report = { parts, total_tokens: 223_245, counted_tokens };
  return fixedItem('text', ({ width }) => windowLines(report, { window: contextLength, width }, theme));
};
const LONG = 'a-name-that-is-longer-than-many-a-screen-of-a-phone-is-wide';
const server = { name: LONG, state: 'connected', detail: LONG, shown: LONG, tools: [LONG] };

/** Everything that a command lists. */
const LISTINGS: Record<string, Item> = {
  '/context': window(220_000, 131_072),
  '/context, of a window that nobody tells': window(null, undefined),
  '/help': helpItem(createKeybindings(), COMMANDS),
  '/tools': toolsItem([...BUILT_IN_TOOLS, { ...BUILT_IN_TOOLS[0], name: LONG } as never]),
  '/tools, of none': toolsItem([]),
  '/jobs': jobsItem([{ id: 'job_1', state: 'running', command: LONG } as Job]),
  '/mcp': serversItem([server as never], true),
  'the header': headerItem(LONG, { name: LONG, endpoint: LONG } as never),
};

describe.each(Object.entries(LISTINGS))('%s', (_name, item) => {
  it.each([16, 20, 39, 40, 54, 58, 61, 80, 120])('fits a screen of %i columns', (width) => {
    const lines = item.take({ width, theme, now: 0, frame: 0 });
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
  });
});

it('says all of /context in narrow screens too', () => {
  for (const width of [16, 24, 40, 60, 100]) {
    const lines = window(220_000, 131_072).take({ width, theme, now: 0, frame: 0 });
    const words = lines
      .join(' ')
      .replaceAll(/\x1b\[[0-9;]*m/g, '')
      .replaceAll(/\s+/g, ' ');
    expect(words).toContain('About 223,245 tokens of 131,072 (170 %) in the next prompt.');
    expect(words).toContain('The server counted 220,000 in the last prompt.');
    for (const figure of ['1,024', '123,456', '98,765']) expect(words).toContain(`about ${figure}`);
  }
});

it('says of a job that was stopped on purpose just that', () => {
  const job: Job = {
    id: 'job_1',
    state: 'ended',
    command: 'sleep 9',
    terminal: true,
    signal: 'signal 15',
    stopped: true,
  };
  const lines = jobsItem([job]).take({ width: 80, theme: createTheme({ NO_COLOR: '1' }) } as never);
  expect(lines.join()).toContain('ended, stopped');
  expect(lines.join()).not.toContain('signal');
});
