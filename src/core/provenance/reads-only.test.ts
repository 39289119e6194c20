import { describe, expect, it } from 'vitest';
import { type DescribedTool, readsOnly } from './reads-only.ts';

const tool = (name: string, annotations?: DescribedTool['annotations'], args: string[] = ['query']): DescribedTool => ({
  name,
  arguments: args,
  annotations,
});
const READS = { readOnlyHint: true };

describe('whether a tool of a server only reads', () => {
  it.each<[string, DescribedTool, { untrusted: boolean; trusted: boolean }]>([
    ['the name says so', tool('get_pages'), { untrusted: true, trusted: true }],
    ['the name does something', tool('send_money'), { untrusted: false, trusted: false }],
    ['a hint says so of a name that does something', tool('send_money', READS), { untrusted: false, trusted: true }],
    ['a hint says so of a name that says nothing', tool('brave_thing', READS), { untrusted: false, trusted: true }],
    [
      'a hint takes it from a name that reads',
      tool('get_pages', { readOnlyHint: false }),
      { untrusted: false, trusted: false },
    ],
    [
      'one hint contradicts the other',
      tool('get_pages', { readOnlyHint: true, destructiveHint: true }),
      { untrusted: false, trusted: false },
    ],
    ['a hint is no boolean', tool('send_money', { readOnlyHint: 'true' }), { untrusted: false, trusted: false }],
    ['the annotations are no object', tool('send_money', [true]), { untrusted: false, trusted: false }],
    ['the name reads and does', tool('get_and_delete'), { untrusted: false, trusted: false }],
    [
      'an argument is named for a recipient',
      tool('get_status', undefined, ['recipient', 'x']),
      { untrusted: false, trusted: false },
    ],
    ['an argument holds what is sent', tool('lookupThing', READS, ['replyBody']), { untrusted: false, trusted: true }],
    [
      'an argument is a number of a page',
      tool('list_messages', undefined, ['page_token', 'message_id']),
      { untrusted: true, trusted: true },
    ],
  ])('%s', (_, described, { untrusted, trusted }) => {
    expect({ untrusted: readsOnly(described, false), trusted: readsOnly(described, true) }).toEqual({
      untrusted,
      trusted,
    });
  });
});
