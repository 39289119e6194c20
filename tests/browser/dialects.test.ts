/** The parser in a real browser: every case, whole and in pieces, comes out as it does in Node. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleDialects } from '../../scripts/bundle-dialects.ts';
import { inPiecesOf, ownCorpus, run, sharedVectors } from '../conformance/cases.ts';
import { verifies } from '../requirements.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const PIECES = [Number.POSITIVE_INFINITY, 1, 7];
const DUMP_BYTES_MAX = 64 * 1024 * 1024;

/** Runs in the page; what it finds stands in the document, which the browser prints. */
const SCRIPT = `
const code = new Blob([document.getElementById('code').textContent], { type: 'text/javascript' });
const { createParser } = await import(URL.createObjectURL(code));
const cases = JSON.parse(document.getElementById('cases').textContent);
const results = cases.flatMap(({ text, tools, startInReasoning, format }) =>
  [Infinity, 1, 7].map((size) => {
    const parser = createParser({ dialect: format, tools, startInReasoning });
    for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
    return parser.end().result;
  }));
document.getElementById('results').textContent = encodeURIComponent(JSON.stringify(results));
`;

const inChromium = async (page: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'halter-browser-'));
  try {
    const file = join(folder, 'page.html');
    writeFileSync(file, page);
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--user-data-dir=${join(folder, 'profile')}`,
      '--virtual-time-budget=60000',
      '--dump-dom',
    ];
    const { stdout } = await promisify(execFile)(CHROMIUM ?? '', [...flags, `file://${file}`], {
      maxBuffer: DUMP_BYTES_MAX,
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

test('reads every case in Chromium as it does in Node', async (context) => {
  if (CHROMIUM === undefined) context.skip('Chromium is not installed: apt-get install chromium');
  verifies('L4', 'L10');
  const cases = [...ownCorpus(), ...sharedVectors()];
  const code = await bundleDialects();
  expect(code).not.toMatch(/from\s*["']node:/);
  const data = JSON.stringify(cases).replaceAll('<', '\\u003c');
  const page = `<!doctype html><meta charset="utf-8"><script type="application/json" id="cases">${data}</script><script type="text/plain" id="code">${code.replaceAll('</script', '<\\/script')}</script><pre id="results"></pre><script type="module">${SCRIPT}</script>`;
  const found = /<pre id="results">([^<]*)<\/pre>/.exec(await inChromium(page))?.[1] ?? '';
  const inBrowser = JSON.parse(decodeURIComponent(found)) as unknown[];
  const inNode = cases.flatMap((one) =>
    PIECES.map(
      (size) =>
        run(one, one.format, size === Number.POSITIVE_INFINITY ? [one.text] : inPiecesOf(size, one.text)).result,
    ),
  );
  expect(inBrowser).toHaveLength(inNode.length);
  expect(inBrowser).toEqual(JSON.parse(JSON.stringify(inNode)));
});
