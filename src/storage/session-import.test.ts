import { expect, it } from 'vitest';
import { readImport } from './session-import.ts';

it.each([
  ['chats of another program', '[{"id":"1","chat":{"messages":[]}}]'],
  ['the same over several lines', '[\n  {"id": "1"}\n]\n'],
  ['another JSON document', '{"mapping":{}}'],
  ['a document for people', '# A session\n\nHello.\n'],
  ['a page', '<!doctype html>\n<p>Hello</p>\n'],
  ['a document of ours without events', '{"format":"halter-session"}'],
])('says of %s which files are taken', (_, text) => {
  expect(readImport(text)).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/JSON or JSON lines.*chats of other programs are not/) },
  });
});
