/** Where halter's own folders cannot be made, everything that keeps something says so or does without; nothing waits. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, test } from 'vitest';
import { openChatDocuments } from '../src/agent/knowledge/chat-documents.ts';
import { compiledFolder } from '../src/cli/compile-cache.ts';
import { writeSettings } from '../src/cli/connect/settings-file.ts';
import { checkFolders } from '../src/cli/doctor/checks.ts';
import { openInputHistory } from '../src/cli/input-history.ts';
import { openUnsent } from '../src/cli/unsent-file.ts';
import { createHarness } from '../src/index.ts';
import { PartFile } from '../src/providers/embedded/model-store/part-file.ts';
import { openPromptStates } from '../src/providers/embedded/prompt-states.ts';
import { KeptVersions } from '../src/sandbox/kept-versions.ts';
import { OwnPlaces } from '../src/sandbox/own-places.ts';
import { openIndex } from '../src/search/database.ts';
import { writeFileAtomically } from '../src/storage/atomic-file.ts';
import { createConfigFile } from '../src/storage/config-file.ts';
import { createDocumentFiles } from '../src/storage/document-files.ts';
import { createEgressFile } from '../src/storage/egress-file.ts';
import { takeLock } from '../src/storage/file-lock.ts';
import { createGatewayToken } from '../src/storage/gateway-token.ts';
import { createLoginFile } from '../src/storage/mcp-logins.ts';
import { createPoliciesFile } from '../src/storage/policies-file.ts';
import { createResultFiles } from '../src/storage/result-files.ts';
import { SessionFiles } from '../src/storage/session-files.ts';
import { appendTrace } from '../src/storage/trace-file.ts';
import { createTrustFile } from '../src/storage/trust-file.ts';
import { createUndoFiles } from '../src/storage/undo-files.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { isTest, listFiles, readSource } from './source-files.ts';
import { scratchFolder } from './support/scratch.ts';

const HASH = 'a'.repeat(64);
const RULE = { tool: 'ls', decision: 'allow', workspace: '/w' } as const;

/** What is kept in a folder: what came of it, in words. `undefined`: it does without. */
const KEEPERS: Readonly<Record<string, (folder: string) => unknown>> = {
  sessions: (folder) => new SessionFiles({ folder }).open('s'),
  'a session that is written whole': (folder) => new SessionFiles({ folder }).create('s', []),
  'old contents': (folder) => createUndoFiles({ folder }).keep(HASH, Uint8Array.of(1)),
  results: (folder) => createResultFiles(folder).keep('r1.txt', 'x'),
  traces: (folder) => appendTrace(folder, [{ session: 's', span: {} }]),
  'a lock': (folder) => takeLock(path.join(folder, 'lock')),
  'a file': (folder) => writeFileAtomically(path.join(folder, 'file'), 'x'),
  settings: (folder) => createConfigFile(folder).set('model', 'm'),
  rules: (folder) => createPoliciesFile({ folder }).add(RULE as never),
  trust: (folder) => createTrustFile({ folder }).trust('/w'),
  'a document': (folder) => createDocumentFiles(folder).keep('a.md', Uint8Array.of(1)),
  'documents of a chat': async (folder) =>
    (await openChatDocuments(createDocumentFiles(folder), undefined)).add({ name: 'a.md', bytes: Uint8Array.of(65) }),
  "a gateway's token": (folder) => createGatewayToken(folder).keep('t'.repeat(43)),
  'a login': (folder) => createLoginFile(folder).write('s', {}),
  connections: (folder) =>
    new Promise((resolve) => {
      createEgressFile({ folder, onProblem: resolve }).append({ type: 'command', at: 0, who: 'x', network: 'none' });
    }),
  'an index': (folder) => openIndex(path.join(folder, 'index.sqlite')),
  'a download': (folder) => PartFile.open(path.join(folder, 'model.gguf')),
  "another program's settings": (folder) => writeSettings(path.join(folder, 'x.json'), '{}', {} as never),
  'the doctor': async (folder) => (await checkFolders({ config: folder, data: folder, cache: folder } as never))[0],
  'what an engine read': (folder) => openPromptStates(folder, 'k').save([], 'head', async () => {}),
  'what was typed': async (folder) => (await openInputHistory(folder)).add('x'),
  'what was not sent': (folder) => openUnsent(folder, '/w').keep(undefined, 'x'),
  'compiled code': (folder) => compiledFolder({ HOME: folder }, 'linux'),
  "a command's room": (folder) => new OwnPlaces(folder).temporary(),
  'kept versions': (folder) => new KeptVersions(folder).keepCopy('/etc/hostname', 'x'),
};
/** They spare something, and nothing is lost without them. */
const DO_WITHOUT = [
  'what an engine read',
  'what was typed',
  'what was not sent',
  'compiled code',
  "a command's room",
  'kept versions',
];

const PLACES: [what: string, make: () => string][] = [
  [
    'below a file',
    () => {
      const file = path.join(scratchFolder(), 'file');
      writeFileSync(file, '');
      return path.join(file, 'halter');
    },
  ],
];
if (process.platform === 'linux') PLACES.push(['below /proc', () => '/proc/halter-nowhere/halter']);
if (process.platform === 'linux') PLACES.push(['in /sys', () => '/sys/halter-nowhere/halter']);

const wordsOf = (came: unknown): unknown => {
  if (came instanceof Error) return came.message;
  if (typeof came !== 'object' || came === null) return came;
  const { error, detail } = came as { error?: { message: string }; detail?: string };
  return error?.message ?? detail;
};

for (const [what, make] of PLACES) {
  test.each(Object.entries(KEEPERS))(`%s ${what}`, async (name, keep) => {
    const folder = make();
    let came: unknown;
    try {
      came = await keep(folder);
    } catch (error) {
      came = error;
    }
    const words = wordsOf(came);
    if (DO_WITHOUT.includes(name)) expect([undefined, false]).toContain(words);
    else {
      expect(words).toContain(folder);
      expect(words).toMatch(/a part of the path is a file|no folder can be made there|no permission|read-only/);
      expect(words).not.toMatch(/\n\s+at |mkdir/);
    }
  });

  it(`is told by a harness ${what}, and by its tools`, async () => {
    const HOME = make();
    const options = { model: 'm', io: { environment: { HOME } } } as const;
    const kept = createHarness({ ...options, provider: scriptedProvider([{ text: 'x' }]), storage: 'files' });
    await expect(kept.chat('Hi').result()).rejects.toThrow(HOME);
    await kept.close();
  });
}

it('makes folders with those above them in one place alone', () => {
  const recursive = /\bmkdir(?:Sync)?\([^;]*recursive: true/;
  const others = listFiles('src')
    .filter((file) => !isTest(file) && !file.startsWith('src/testing/'))
    .map(readSource)
    .filter(({ code }) => recursive.test(code));
  expect(others.map((file) => file.path)).toEqual([]);
});
