/** Everything that is shown comes once, whatever is still being written before it. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../core/message.ts';
import { CommandOutput } from '../app/command-output.ts';
import { createTheme } from '../theme.ts';
import { CallView } from './call-view.ts';
import { ItemList } from './item-list.ts';
import {
  CallItem,
  commandItem,
  fixedItem,
  type Item,
  noticeItem,
  RetryItem,
  sourcesItem,
  TextItem,
  ThoughtItem,
  userItem,
} from './items.ts';
import { PictureItem } from './picture-item.ts';

const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
const view = { width: 80, theme, now: 0, frame: 0 };
const call: ToolCall = { id: 'c', name: 'read_file', arguments: { path: 'marked.txt' }, source: 'native', repairs: [] };
const result = {
  success: true,
  data: 'marked',
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 0, data_size_bytes: 6, timestamp: 0 },
} as const;

/** Each says a word that is looked for. */
const ended: Record<string, () => Item> = {
  'the output of a command': () => {
    const output = new CommandOutput('echo');
    output.write('marked\n');
    output.end();
    return output;
  },
  'a long output of a command': () => {
    const output = new CommandOutput('echo');
    output.write(`${'line\n'.repeat(200)}marked\n`);
    output.end();
    return output;
  },
  'an answer': () => {
    const text = new TextItem(theme);
    text.push('marked');
    text.end('marked');
    return text;
  },
  'a call': () => {
    const one = new CallView(call, undefined);
    one.finish(result);
    return new CallItem(one);
  },
  'a thought': () => {
    const thought = new ThoughtItem(0);
    thought.push('marked');
    thought.end(0);
    return thought;
  },
  'a picture': () => {
    const picture = new PictureItem('marked', undefined, () => 24);
    picture.end(undefined);
    return picture;
  },
  'a retry': () => {
    const retry = new RetryItem();
    retry.say('marked');
    retry.end();
    return retry;
  },
  'a notice': () => noticeItem('error', 'marked'),
  'a message': () => userItem('marked'),
  'a command': () => commandItem('!marked'),
  sources: () => sourcesItem(['marked']),
  'a fixed thing': () => fixedItem('notice', () => ['marked']),
};
const MARK = /marked|Thought/;

describe('a list of things on the screen', () => {
  it.each(Object.keys(ended))('gives out %s once that ended behind something that goes on', (name) => {
    const list = new ItemList();
    const before = new TextItem(theme);
    list.add(before);
    before.push('one\n\ntwo');
    list.add(ended[name]?.() as Item);
    const out: string[] = [];
    for (let frame = 0; frame < 3; frame += 1) {
      out.push(...list.take(view));
      const shown = list.live(view, 400, out);
      expect(shown.filter((line) => MARK.test(line))).toHaveLength(1);
    }
    expect(out.filter((line) => MARK.test(line))).toEqual([]);
    before.end('one\n\ntwo');
    out.push(...list.take(view));
    expect(out.filter((line) => MARK.test(line))).toHaveLength(1);
    expect(list.take(view)).toEqual([]);
  });

  it('shows a command that goes on behind something that goes on, and each line once at its end', () => {
    const list = new ItemList();
    const before = new TextItem(theme);
    list.add(before);
    before.push('one');
    const output = new CommandOutput('make');
    list.add(output);
    output.write('marked 1\nmarked 2\n');
    const out = list.take(view);
    expect(list.live(view, 400, out).filter((line) => MARK.test(line))).toHaveLength(2);
    before.end('one');
    out.push(...list.take(view));
    expect(list.live(view, 400, out).filter((line) => MARK.test(line))).toEqual([]);
    output.write('marked 3\n');
    output.end();
    out.push(...list.take(view));
    expect(out.filter((line) => MARK.test(line)).map((line) => stripVTControlCharacters(line).trim())).toEqual([
      'marked 1',
      'marked 2',
      'marked 3',
    ]);
  });
});
