/** Every file that halter keeps says its version; one of a newer halter is refused in words and left as it is. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createPoliciesFile } from './policies-file.ts';
import { SessionFiles } from './session-files.ts';
import { readImport } from './session-import.ts';
import { createTrustFile } from './trust-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'halter-versions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rule = { tool: 'bash', decision: 'allow' as const, workspace: '/w', created_at: 1 };
/** What is in the file, and what a reader and a writer make of it: nothing, with words. */
const FILES: readonly [name: string, content: string, use: () => Promise<unknown>][] = [
  [
    's.jsonl',
    '{"type":"halter_session","version":999,"id":"s","created_at":1}\n',
    async () => [await new SessionFiles({ folder }).open('s'), await new SessionFiles({ folder }).read('s')],
  ],
  [
    'policies.json',
    '{"version":999,"rules":[{"tool":"*","decision":"allow","workspace":"/w","created_at":1}]}',
    async () => [await createPoliciesFile({ folder }).load('/w'), await createPoliciesFile({ folder }).add(rule)],
  ],
  [
    'trust.json',
    '{"version":999,"folders":{"/w":"everything"}}',
    async () => [await createTrustFile({ folder }).isTrusted('/w')],
  ],
];

it.each(FILES)('%s of a newer version is refused and stays as it is', async (name, content, use) => {
  verifies('U1');
  writeFileSync(join(folder, name), content);
  const told = JSON.stringify(await use());
  expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
  expect(told).not.toContain('"ok":true');
  expect(told).not.toContain('"trusted":true');
  if (name !== 'trust.json') expect(told).toMatch(/newer|version/);
});

it('an export of a newer version is refused', () => {
  verifies('U1');
  for (const text of [
    '{"format":"halter-session","version":999,"events":[]}',
    '{"type":"halter_session","version":999,"id":"x"}',
  ]) {
    expect(readImport(text)).toMatchObject({ ok: false, error: { message: expect.stringContaining('newer') } });
  }
});

it('sessions of the first version open with every later one', async () => {
  verifies('B5', 'U1');
  const lines = [
    { type: 'halter_session', version: 1, id: 's', created_at: 1 },
    {
      seq: 1,
      at: 1,
      type: 'session_started',
      version: 1,
      session_id: 's',
      workspace: '/w',
      model: 'm',
      message_count: 0,
    },
    { seq: 2, at: 2, type: 'user_message_added', content: 'hello', message_count: 1 },
  ];
  writeFileSync(join(folder, 's.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const opened = await new SessionFiles({ folder }).open('s');
  expect(opened).toMatchObject({ ok: true, value: { warnings: [] } });
  if (opened.ok) await opened.value.log.close();
  expect(await new SessionFiles({ folder }).list()).toMatchObject({
    ok: true,
    value: [{ title: 'hello', message_count: 1 }],
  });
});
