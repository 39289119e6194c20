/** Parsing in a thread of its own gives what parsing here gives, and its end costs nothing but time. */

import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { createWorkspace } from '../io/workspace.ts';
import { openIndex } from './database.ts';
import { Indexer } from './indexer.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { outlineOf } from './parser.ts';
import { ParsingThread, packOutline, unpackOutline } from './parser-thread.ts';
import type { ParserThread } from './prepare-file.ts';
import { SqliteStore } from './sqlite-store.ts';

const TYPESCRIPT = LANGUAGES[0] as Language;
const TEXT =
  "import { a as b } from './a.ts';\nexport class Dog extends Animal {\n  bark = () => b(this.run(b), b);\n}\nconst x = 1;\n";
const FILES = Object.fromEntries(
  Array.from({ length: SEARCH_LIMITS.indexParserFiles }, (_none, at) => [
    `f${at}.ts`,
    `${TEXT}export const own${at} = () => own${at - 1}(${at});\n`,
  ]),
);

const indexed = async (root: string, openParser?: () => ParserThread) => {
  const workspace = await createWorkspace({ root, blocking: true });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const { database } = openIndex(path.join(scratchFolder(), 'index.sqlite'));
  onTestFinished(() => database.close());
  const ports = { store: new SqliteStore(database), workspace: workspace.value, now: () => Date.now() + 60_000 };
  const done = await new Indexer({ ...ports, openParser }).all();
  const rows = ['files', 'names', 'symbols', 'refs', 'imports', 'chunks'].map((table) =>
    database.prepare(`SELECT * FROM ${table}`).all(),
  );
  return { report: done.ok ? done.value : undefined, rows };
};

describe('a parsing thread', () => {
  it('gives what is read here, and fails once it is closed', async () => {
    verifies('Z20');
    const here = await outlineOf(TYPESCRIPT, TEXT);
    if (here === undefined) throw new Error('nothing was read');
    expect(unpackOutline(packOutline(here))).toEqual(here);
    const thread = new ParsingThread();
    expect(await thread.outlineOf(TYPESCRIPT, TEXT)).toEqual({ ok: true, value: here });
    const late = thread.outlineOf(TYPESCRIPT, TEXT.repeat(1_000));
    await thread.close();
    expect(await late).toMatchObject({ ok: false });
    expect(await thread.outlineOf(TYPESCRIPT, TEXT)).toMatchObject({ ok: false });
  });

  it('makes the same index, also where it ends in the middle', async () => {
    verifies('Z20');
    const root = scratchFolder();
    putFiles(root, FILES);
    const alone = await indexed(root);
    let opened = 0;
    const together = await indexed(root, () => {
      opened += 1;
      return new ParsingThread();
    });
    expect(opened).toBe(1);
    expect(together.rows).toEqual(alone.rows);
    const dying = await indexed(root, () => {
      const thread = new ParsingThread();
      let asked = 0;
      return {
        close: () => thread.close(),
        outlineOf(language, text) {
          asked += 1;
          if (asked === 50) void thread.close();
          return thread.outlineOf(language, text);
        },
      };
    });
    expect(dying.rows).toEqual(alone.rows);
    expect(dying.report).toMatchObject({ indexed: SEARCH_LIMITS.indexParserFiles, cancelled: false });
  });
});
