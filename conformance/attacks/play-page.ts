/**
 * Plays the cases about texts that want to steer the web app: the text comes from the model and out of a tool, the real
 * page of the real server shows both in a real browser, and what must hold is looked at there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../../src/core/json.ts';
import { createApp, listen } from '../../src/server/index.ts';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { type AttackCase, asList, asObject, CannotRun, onlyKnown, Unmet } from './attack-case.ts';
import { type BrowserPage, type ChromiumBrowser, openChromium } from './chromium.ts';
import { answer, MODEL, startModelServer } from './model-server.ts';
import { type Scene, UNNAMED_FILE, withScene } from './scene.ts';

const TOKEN = 'the-token-of-this-run';
const HOST = '127.0.0.1';
const LAST_WORDS = 'The end of this case.';
/** Between two looks at the conversation. */
const LOOK_MS = 30;
const BLOCKED_IMAGE = 'blocked image with its URL';

const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 300);
const same = (what: string, actual: JsonValue, expected: JsonValue): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Unmet(`${what}: ${short(actual)}`);
};

/** All that the conversation holds, with its open details. */
const LOG = "document.querySelector('[role=log]')";
const LINKS = `[...${LOG}.querySelectorAll('a[href]')]`;
/** What makes a text run: handlers, frames, scripts that are not the page's own. */
const RUNNABLE = `[...document.querySelectorAll('*')].some((each) =>
  each.getAttributeNames().some((name) => name.startsWith('on') || name === 'srcdoc') ||
  ['IFRAME', 'OBJECT', 'EMBED', 'BASE'].includes(each.tagName) ||
  (each.tagName === 'SCRIPT' && !new URL(each.src || 'data:', location).href.startsWith(location.origin + '/assets/')))`;

type Shown = BrowserPage & { shownMs: number };
type Check = (expected: JsonValue, page: Shown) => Promise<void>;

const THEN: Readonly<Record<string, Check>> = {
  requests_to: async (expected, { requests }) => {
    for (const [host, count] of Object.entries(asObject(expected))) {
      const found = requests.filter((url) => URL.canParse(url) && new URL(url).hostname === host);
      same(`requests to ${host}`, found.length, count);
    }
  },
  script_executed: async (expected, page) => {
    same('a script ran', page.dialogs.length > 0, expected);
    same('something on the page can run', await page.evaluate<boolean>(RUNNABLE), expected);
  },
  href_scheme_in: async (expected, page) => {
    const schemes = await page.evaluate<string[]>(`${LINKS}.map((link) => link.protocol.replace(':', ''))`);
    const other = schemes.filter((scheme) => !asList(expected).includes(scheme));
    same('other schemes of links', other, []);
  },
  text_visible: async (expected, page) => {
    const text = await page.evaluate<string>(`${LOG}.innerText`);
    for (const part of asList(expected).map(String)) {
      if (!text.includes(part)) throw new Unmet(`${short(part)} is not to be read in ${short(text)}`);
    }
  },
  target_shown: async (expected, page) => {
    const hidden = await page.evaluate<string[]>(
      `${LINKS}.filter((link) => !link.parentElement.innerText.includes(link.host)).map((link) => link.href)`,
    );
    const count = await page.evaluate<number>(`${LINKS}.length`);
    if (count === 0) throw new Unmet('there is no link');
    same(`links that hide where they lead (${hidden.join(' ')})`, hidden.length === 0, expected);
  },
  forms: async (expected, page) =>
    same(
      'forms in the conversation',
      await page.evaluate<number>(`${LOG}.querySelectorAll('form, button[type=submit]').length`),
      expected,
    ),
  max_ms: async (expected, { shownMs }) =>
    same(`${Math.round(shownMs)} ms are too many`, shownMs > Number(expected), false),
  ui_alive: async (expected, page) =>
    same(
      'the page answers',
      await page.evaluate<boolean>('document.querySelector("textarea, [contenteditable]") !== null'),
      expected,
    ),
  rel: async (expected, page) => {
    const others = await page.evaluate<string[]>(`${LINKS}.map((link) => link.rel)`);
    same('other relations of links', [...new Set(others)], [expected]);
  },
  shown_as: async (expected, page) => {
    if (expected !== BLOCKED_IMAGE) throw new Unmet(`shown as ${short(expected)} is not known`);
    const shown = await page.evaluate<boolean>(
      `[...${LOG}.querySelectorAll('[data-blocked-image]')].some((each) => each.innerText.includes(each.dataset.blockedImage))`,
    );
    same('the address of a blocked image is shown', shown, true);
  },
};

/** The model reads its own text again in the second round; a long one must not end there as too much for the window. */
const WINDOW_TOKENS = 8_000_000;

/** A token or so each; a long text comes in larger pieces, so that the model server is not what is measured. */
const PIECE_CHARACTERS = 3;
const PIECES_MAX = 20_000;
const piecesOf = (text: string): string[] => {
  const size = Math.max(PIECE_CHARACTERS, Math.ceil(text.length / PIECES_MAX));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
};

type SessionState = { id?: string; running?: boolean };

/** The model says the text and reads it out of a file, in one conversation. */
const converse = async (scene: Scene, text: string): Promise<{ url: string }> => {
  fs.writeFileSync(path.join(scene.root, UNNAMED_FILE), text);
  const call = { id: 'c1', name: 'read_file', arguments: JSON.stringify({ path: UNNAMED_FILE }) };
  const script = (number: number) => (number === 0 ? answer(piecesOf(text), [call]) : answer([LAST_WORDS]));
  const model = await startModelServer(MODEL, script, WINDOW_TOKENS);
  scene.onEnd(() => model.close());
  const halter = await scene.open({
    provider: 'openai',
    baseUrl: model.baseUrl,
    model: MODEL,
    allow: ['*'],
    onAsk: 'wait',
  });
  const app = createApp({ halter, token: TOKEN });
  const listening = await listen(app, { host: HOST, port: 0 });
  if (!listening.ok) throw new Unmet(listening.error.message);
  scene.onEnd(async () => {
    await app.close();
    await listening.value.close();
  });
  const base = `http://${HOST}:${listening.value.port}`;
  const ask = async (method: 'GET' | 'POST', route: string, body?: object): Promise<SessionState> => {
    const response = await fetch(base + route, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Unmet(`${route} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as SessionState;
  };
  const { id = '' } = await ask('POST', '/api/sessions', {});
  await ask('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'Show me.' });
  // What is measured is the page, and not the model server that still says the text.
  const end = Date.now() + CONFORMANCE_LIMITS.programMs;
  while ((await ask('GET', `/api/sessions/${id}?limit=1`)).running === true) {
    if (Date.now() > end) throw new Unmet('the conversation never came to its end');
    await sleep(LOOK_MS);
  }
  const home = await (await fetch(base)).text();
  if (!home.includes('/assets/')) throw new CannotRun('the web app is not built here: npm run build');
  return { url: `${base}/?token=${TOKEN}#/s/${id}` };
};

const show = async (browser: ChromiumBrowser, url: string): Promise<{ page: BrowserPage; shownMs: number }> => {
  const page = await browser.page();
  const opened = performance.now();
  await page.open(url);
  await page.until(`${LOG}?.innerText.includes(${JSON.stringify(LAST_WORDS)})`);
  return { page, shownMs: performance.now() - opened };
};

/** Other programs take the machine for moments. What the page itself takes is the fastest of a few openings, if one is too slow. */
const openFastest = async (browser: ChromiumBrowser, url: string, { max_ms: most }: AttackCase['then']) => {
  let shown = await show(browser, url);
  let fastest = shown.shownMs;
  for (
    let count = 1;
    count < CONFORMANCE_LIMITS.timedOpenings && most !== undefined && fastest > Number(most);
    count += 1
  ) {
    await shown.page.close();
    shown = await show(browser, url);
    fastest = Math.min(fastest, shown.shownMs);
  }
  return { page: shown.page, shownMs: fastest };
};

export const playPage = (attack: AttackCase): Promise<void> =>
  withScene(attack, { also: ['assistant_or_tool_text'] }, async (scene) => {
    const { given, then, when } = scene.attack;
    onlyKnown('when', when, ['render']);
    onlyKnown('then', then, Object.keys(THEN));
    if (when['render'] !== 'web-ui') throw new Unmet(`rendering on ${short(when['render'])} is not known`);
    const browser = await openChromium();
    const { url } = await converse(scene, String(given['assistant_or_tool_text']));
    const { page, shownMs } = await openFastest(browser, url, then);
    scene.onEnd(() => page.close());
    // The result is read where the person opens the call.
    await page.evaluate(
      `document.querySelectorAll('[data-call] > button[aria-expanded=false]').forEach((each) => each.click())`,
    );
    await page.until("document.querySelector('[data-call] [aria-label^=Result]')");
    // What an injected element would do, it does in a later turn.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))');
    for (const [word, expected] of Object.entries(then)) await THEN[word]?.(expected, Object.assign(page, { shownMs }));
  });
