/** What a command prints while it runs: lines that are drawn again stand once, on every surface that shows them. */
import { describe, expect, it } from 'vitest';
import type { SessionUpdate } from '../src/core/events.ts';
import type { AssistantMessage, ToolCall } from '../src/core/message.ts';
import { CommandOutput } from '../src/terminal/app/command-output.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { CallView } from '../src/terminal/transcript/call-view.ts';
import { reduce } from '../web/src/state/reduce.ts';
import { EMPTY_VIEW } from '../web/src/state/view.ts';
import { verifies } from './requirements.ts';

const theme = createTheme({ TERM: 'dumb' });
const CALL: ToolCall = { id: 'c', name: 'bash', arguments: {}, source: 'native', repairs: [] };
const VIEW = { width: 60, theme, now: 0, frame: 0 };
const ROWS: readonly (readonly [pieces: readonly string[], shown: readonly string[]])[] = [
  [
    ['\r[#   ] 1%', '\r[##  ] 50%', '\r[####] 100%', '\ndone\n'],
    ['[####] 100%', 'done'],
  ],
  [['1%\r2%\r', '3%\r', '4%'], ['4%']],
  [
    ['a\r', '\nb\r\n'],
    ['a', 'b'],
  ],
  [
    ['get 1\nget 2\n', 'read 1\rread 2'],
    ['get 1', 'get 2', 'read 2'],
  ],
  [['\u{1b}[2Jx\r\u{1b}y'], ['\\u{1B}y']],
];

/** Each surface: what it shows of a command that prints these pieces. */
const SURFACES: Readonly<Record<string, (pieces: readonly string[]) => string[]>> = {
  'a call that runs': (pieces) => {
    const call = new CallView(CALL, undefined);
    call.state = 'running';
    for (const piece of pieces) call.addOutput(piece);
    return call.lines(60, theme, 0, 0).slice(1);
  },
  'a call that is opened': (pieces) => {
    const call = new CallView(CALL, undefined);
    call.state = 'running';
    for (const piece of pieces) call.addOutput(piece);
    const lines = call.details(60, theme);
    return lines.slice(lines.indexOf('Output so far') + 1);
  },
  "a person's own command": (pieces) => {
    const output = new CommandOutput('x');
    for (const piece of pieces) output.write(piece);
    const given = output.take(VIEW);
    const live = output.live(VIEW);
    output.end();
    expect(output.take(VIEW)).toEqual(live);
    return [...given, ...live];
  },
  'the page': (pieces) => {
    const message: AssistantMessage = { role: 'assistant', content: '', tool_calls: [CALL], finish: 'tool_calls' };
    const updates: SessionUpdate[] = [
      { seq: 1, at: 0, type: 'assistant_message_added', message },
      { seq: 2, at: 0, type: 'tool_started', tool_call_id: 'c' },
      ...pieces.map((delta): SessionUpdate => ({ type: 'tool_output_delta', tool_call_id: 'c', delta })),
    ];
    const { items } = reduce(EMPTY_VIEW, updates, 0);
    const call = items.find((item) => item.kind === 'call');
    const shown = call?.kind === 'call' ? call.call.output.trimEnd() : '';
    return shown.replaceAll('\u{1b}', '\\u{1B}').split('\n');
  },
};

describe.each(Object.entries(SURFACES))('%s', (_, show) => {
  it.each(ROWS)('%j shows %j', (pieces, shown) => {
    verifies('Z19');
    expect(show(pieces).map((line) => line.replace(/^\s*[|│]?\s*/, ''))).toEqual(shown);
  });
});
