/** Files that were put into a conversation: the same in both stores, and for every process that shares one. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChatDocumentStore, createChatDocumentStore } from '../../src/agent/knowledge/chat-document-store.ts';
import type { ChatDocuments } from '../../src/agent/knowledge/chat-documents.ts';
import type { Event } from '../../src/core/events.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { halterPaths } from '../../src/storage/paths.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { createFileStorage, type Storage } from '../../src/storage/storage.ts';
import { verifies } from '../requirements.ts';
import { describePostgres, usePostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';

const postgres = usePostgres();
const LONG = { timeout: 60_000 };
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const BEGUN: Event = { seq: 1, at: 1, type: 'user_message_added', content: 'hello' };

type Process = { storage: Storage; documents: ChatDocumentStore };

const suite = (openAgain: () => Promise<() => Promise<Storage>>): void => {
  const processes = async (): Promise<() => Promise<Process>> => {
    const open = await openAgain();
    return async () => {
      const storage = await open();
      const documents = createChatDocumentStore(storage.documents, undefined);
      onTestFinished(async () => {
        await documents.close();
        await storage.close();
      });
      return { storage, documents };
    };
  };
  const of = async ({ documents }: Process, session: string): Promise<ChatDocuments> =>
    must(await documents.of(session));
  const found = async (documents: ChatDocuments, query: string): Promise<string[]> =>
    must(await documents.search(query, { limit: 5 })).map(({ path }) => path);
  const text = async (documents: ChatDocuments, name: string): Promise<string> =>
    new TextDecoder().decode(must(await documents.read(name)));

  it('are found and read by a process that never saw them, as they are now', LONG, async () => {
    verifies('E2', 'B12');
    const start = await processes();
    const [server, worker] = [await start(), await start()];
    const given = await of(server, 's');
    must(await given.add({ name: 'ferry.md', bytes: bytes('The ferry leaves at seven.\n') }));
    must(await given.add({ name: 'garden.md', bytes: bytes('The azalea needs acid soil.\n') }));
    const seen = await of(worker, 's');
    expect(seen.list().map(({ name, lines }) => [name, lines])).toEqual([
      ['ferry.md', 1],
      ['garden.md', 1],
    ]);
    expect(await found(seen, 'ferry')).toEqual(['ferry.md']);
    expect(await text(seen, 'ferry.md')).toContain('at seven');
    expect((await of(worker, 'other')).list()).toEqual([]);
  });

  it('are gone everywhere when they go with their session, and a copy of it keeps its own', LONG, async () => {
    const start = await processes();
    const { storage, documents } = await start();
    for (const id of ['s', 'copy']) must(await storage.sessions.create(id, [BEGUN]));
    const given = must(await documents.of('s'));
    must(await given.add({ name: 'ferry.md', bytes: bytes('The ferry leaves at seven.\n') }));
    await storage.copyKept('s', 'copy');
    must(await storage.sessions.remove('s'));
    await documents.forget('s');
    const later = await start();
    expect((await of(later, 's')).list()).toEqual([]);
    expect(await found(await of(later, 'copy'), 'ferry')).toEqual(['ferry.md']);
  });

  it('that are refused are kept nowhere, and the one of before stays', LONG, async () => {
    const start = await processes();
    const [server, worker] = [await start(), await start()];
    const given = await of(server, 's');
    must(await given.add({ name: 'notes.txt', bytes: bytes('the heron stands still\n') }));
    expect(await given.add({ name: 'notes.txt', bytes: new Uint8Array([0, 1]) })).toMatchObject({ ok: false });
    expect(await given.add({ name: 'other.bin', bytes: new Uint8Array([0, 1]) })).toMatchObject({ ok: false });
    const seen = await of(worker, 's');
    expect(seen.list().map(({ name }) => name)).toEqual(['notes.txt']);
    expect(await text(seen, 'notes.txt')).toContain('heron');
  });
};

describe('the documents of conversations, in files', () => {
  suite(async () => {
    const paths = halterPaths({ HOME: scratchFolder() }, process.platform);
    fs.mkdirSync(join(paths.sessions), { recursive: true });
    return async () => createFileStorage(paths);
  });
});

describePostgres('the documents of conversations, in a database', () => {
  let databases = 0;
  const openAgain = async () => {
    databases += 1;
    const url = await postgres().url(`documents_${databases}`);
    return async (): Promise<Storage> => must(await openPostgres({ url }));
  };
  suite(openAgain);

  it(
    'are seen by a process that has the conversation open, when others put them there and remove them',
    LONG,
    async () => {
      verifies('E2');
      const open = await openAgain();
      const [server, worker] = await Promise.all([open(), open()]);
      const given = createChatDocumentStore(server.documents, undefined);
      const held = createChatDocumentStore(worker.documents, undefined);
      onTestFinished(async () => {
        for (const store of [given, held]) await store.close();
        for (const storage of [server, worker]) await storage.close();
      });
      const [there, here] = [must(await given.of('s')), must(await held.hold('s')).documents];
      must(await there.add({ name: 'ferry.md', bytes: bytes('The ferry leaves at seven.\n') }));
      expect(must(await here.search('ferry', { limit: 5 })).map(({ path }) => path)).toEqual(['ferry.md']);
      must(await there.add({ name: 'ferry.md', bytes: bytes('The ferry leaves at nine.\n') }));
      expect(new TextDecoder().decode(must(await here.read('ferry.md')))).toContain('nine');
      must(await there.remove('ferry.md'));
      expect(must(await here.search('ferry', { limit: 5 }))).toEqual([]);
      expect(here.list()).toEqual([]);
    },
  );
});
