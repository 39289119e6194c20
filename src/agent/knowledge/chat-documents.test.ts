import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { documentName, documentNamed } from '../../core/document-names.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import { createDocumentFiles, documentsFolder } from '../../storage/document-files.ts';
import { createChatDocumentStore } from './chat-document-store.ts';
import { type ChatDocuments, openChatDocuments } from './chat-documents.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const opened = async (folder = scratchFolder()): Promise<ChatDocuments> => {
  const documents = await openChatDocuments(createDocumentFiles(folder), undefined);
  await documents.bringUp();
  onTestFinished(() => documents.close());
  return documents;
};
const found = async (documents: ChatDocuments, query: string): Promise<string[]> => {
  const hits = await documents.search(query, { limit: 5 });
  if (!hits.ok) throw new Error(hits.error.message);
  return hits.value.map(({ path, line_start }) => `${path}:${line_start}`);
};
const word = (paragraphs: readonly string[]): Uint8Array =>
  zipSync({
    'word/document.xml': bytes(paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')),
  });

describe('the documents of a chat', () => {
  it('are kept, found again after the program ended, and gone when they are removed', async () => {
    verifies('E2');
    const folder = scratchFolder();
    const first = await opened(folder);
    const taken = await first.add({ name: 'garden.md', bytes: bytes('# Garden\n\nThe azalea needs acid soil.\n') });
    expect(taken).toMatchObject({ ok: true, value: { name: 'garden.md', size_bytes: 38, lines: 3 } });
    await first.add({ name: 'kitchen.txt', bytes: bytes('Flour is in the cupboard.\n') });
    const again = await opened(folder);
    expect(again.list().map(({ name, lines }) => [name, lines])).toEqual([
      ['garden.md', 3],
      ['kitchen.txt', 1],
    ]);
    expect(await found(again, 'acid soil')).toEqual(['garden.md:1']);
    expect(await again.remove('garden.md')).toMatchObject({ ok: true });
    expect(await found(again, 'acid soil')).toEqual([]);
    expect(await again.remove('garden.md')).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
  });

  it('are searched whether they are text, code or an Office file, and read as lines', async () => {
    const documents = await opened();
    await documents.add({ name: 'plan.docx', bytes: word(['Quarterly plan', 'The launch is in November.']) });
    await documents.add({ name: 'launch.py', bytes: bytes('def ignite():\n    return "lift-off"\n') });
    expect(await found(documents, 'when is the launch')).toContain('plan.docx:1');
    expect(await found(documents, 'ignite')).toEqual(['launch.py:1']);
    const read = await documents.read('plan.docx');
    expect(read.ok && new TextDecoder().decode(read.value)).toBe('Quarterly plan\nThe launch is in November.');
  });

  it('are refused with the reason: no text, nothing in it, too large, secrets, no name', async () => {
    const folder = scratchFolder();
    const documents = await opened(folder);
    const reason = async (name: string, content: Uint8Array): Promise<string> => {
      const taken = await documents.add({ name, bytes: content });
      return taken.ok ? 'taken' : (taken.error.reason ?? '');
    };
    expect(await reason('program.bin', new Uint8Array([0, 255, 0]))).toBe('unsupported');
    expect(await reason('broken.pdf', bytes('no PDF'))).toBe('unsupported');
    expect(await reason('empty.txt', bytes('\n'))).toBe('no_text');
    expect(await reason('large.txt', new Uint8Array(SEARCH_LIMITS.indexFileBytes + 1).fill(97))).toBe('too_large');
    expect(await reason('id_rsa', bytes('secret'))).toBe('secret');
    expect(await reason('...', bytes('text'))).toBe('name');
    expect(documents.list()).toEqual([]);
    expect(fs.readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  it('keep the one of before where a new one of the same name is refused', async () => {
    const documents = await opened();
    await documents.add({ name: 'notes.txt', bytes: bytes('the heron stands still\n') });
    await documents.add({ name: 'notes.txt', bytes: new Uint8Array([0, 1]) });
    expect(await found(documents, 'heron')).toEqual(['notes.txt:1']);
    await documents.add({ name: 'notes.txt', bytes: bytes('the stork walks\n') });
    expect(await found(documents, 'heron')).toEqual([]);
    expect(await found(documents, 'stork')).toEqual(['notes.txt:1']);
    expect(documents.list()).toHaveLength(1);
  });

  it('are indexed anew where the index is gone or damaged', async () => {
    const folder = scratchFolder();
    const before = await opened(folder);
    await before.add({ name: 'a.txt', bytes: bytes('walrus\n') });
    await before.add({ name: 'b.txt', bytes: bytes('narwhal\n') });
    await before.close();
    fs.rmSync(join(folder, '.index'), { recursive: true });
    expect(await found(await opened(folder), 'narwhal')).toEqual(['b.txt:1']);
  });

  it('give up where the person does', async () => {
    const documents = await opened();
    const gone = new AbortController();
    gone.abort();
    const taken = await documents.add({ name: 'a.txt', bytes: bytes('walrus\n') }, { signal: gone.signal });
    expect(taken).toMatchObject({ ok: false });
    expect(documents.list()).toEqual([]);
  });

  it('are one for all who ask, and of no chat whose id is none', async () => {
    const shelf = createChatDocumentStore(() => createDocumentFiles(scratchFolder()), undefined);
    onTestFinished(() => shelf.close());
    const [one, two] = await Promise.all([shelf.of('a'), shelf.of('a')]);
    expect(one.ok && two.ok && one.value === two.value).toBe(true);
    const held = await shelf.hold('a');
    for (let index = 0; index < SEARCH_LIMITS.chatDocumentsOpen + 5; index += 1) await shelf.of(`b${index}`);
    // What an open session holds stays the same; the oldest of the others made room.
    const still = await shelf.of('a');
    expect(held.ok && still.ok && held.value.documents === still.value).toBe(true);
    if (held.ok) held.value.release();
    for (let index = 0; index < SEARCH_LIMITS.chatDocumentsOpen + 5; index += 1) await shelf.of(`c${index}`);
    const other = await shelf.of('a');
    expect(still.ok && other.ok && still.value === other.value).toBe(false);
    expect(await shelf.of('../a')).toMatchObject({ ok: false });
    expect(documentsFolder('/sessions', 'a')).toBe('/sessions/a.documents');
  });
});

describe('the name of a document', () => {
  it.each(['.env', ' .env ', 'a/.env', 'C:\\me\\.env', '.e\u200bnv', '.env.local', '.netrc', '.ssh/id_rsa', '.npmrc'])(
    'is refused where it is that of a file of secrets, before its dot is gone: %j',
    (given) => {
      expect(documentName(given)).toMatchObject({ ok: false, error: { message: expect.stringContaining('secrets') } });
    },
  );

  it('is a single visible name that any folder takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
        const named = documentName(given);
        if (!named.ok) return;
        expect(named.value).not.toMatch(/[/\\\p{Cc}\p{Cf}]|^\.|^\s|\s$/u);
        expect([...named.value].length).toBeLessThanOrEqual(120);
        expect(documentNamed(`@documents/${named.value}`)).toBe(named.value);
      }),
    );
    expect(documentName('C:\\Users\\me\\report.pdf')).toEqual({ ok: true, value: 'report.pdf' });
    expect(documentName(`${'long '.repeat(60)}.pdf`)).toMatchObject({ value: expect.stringMatching(/\.pdf$/) });
    expect(documentNamed('report.pdf')).toBeUndefined();
  });
});
