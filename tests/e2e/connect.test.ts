/** `halter connect`: a client's settings gain what reaches the gateway, lose nothing else, and can be put back. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONNECTED_CLIENTS } from '../../src/cli/connect/clients.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment, runHalter, startHalter } from '../support/halter-process.ts';
import { everyNth, onlyLong } from '../support/long.ts';
import { INSTALL_MS, npmProgram } from '../support/npm-program.ts';
import { NPM_PROGRAMS } from '../support/npm-programs.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { serving } from '../support/serving.ts';

const run = promisify(execFile);
const RUN_MS = 120_000;
const names = Object.keys(CONNECTED_CLIENTS);

const fileOf = (name: string, home: string): string => CONNECTED_CLIENTS[name]?.file(home, {}) as string;
const read = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined);

describe.each(everyNth(names, 5))('halter connect %s', (name) => {
  it('shows the change, writes only after a yes, and leaves nothing behind when it is taken back', async () => {
    verifies('B2');
    const home = scratchFolder();
    const file = fileOf(name, home);
    const shown = await runHalter(['connect', name], { home });
    expect([shown.code, shown.err]).toEqual([3, expect.stringContaining('--yes')]);
    expect(shown.err, 'no colours in a pipe, and a path as it is').not.toMatch(/\u001b|b\/\//);
    expect(shown.err).toContain('http://127.0.0.1:7411');
    expect(read(file)).toBeUndefined();
    expect(fs.existsSync(path.join(home, '.config/halter/gateway-token.json')), 'nothing was written').toBe(false);

    const done = await runHalter(['connect', name, '--yes'], { home });
    expect([done.code, done.err]).toEqual([0, expect.stringContaining('halter serve')]);
    expect(done.err).toContain('if it does not run already');
    const { token } = JSON.parse(read(path.join(home, '.config/halter/gateway-token.json')) ?? '{}');
    expect(read(file)).toContain(token);
    // The token is not for the screen, and the file for nobody else.
    expect(shown.err + done.err).not.toContain(token);
    expect(fs.statSync(file).mode & 0o077).toBe(0);
    expect((await runHalter(['connect'], { home })).out).toMatch(new RegExp(`${name}.*connected to http`));

    const back = await runHalter(['connect', name, '--remove', '--yes'], { home });
    expect(back.code).toBe(0);
    expect(read(file)).toBeUndefined();
  });

  it('puts a second address in the place of the first, and then back what was there before both', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    await runHalter(['connect', name, '--yes'], { home });
    const second = await runHalter(['connect', name, '--yes', '--port', '9999'], { home });
    expect(second.code).toBe(0);
    expect(read(file)).toContain('127.0.0.1:9999');
    expect(read(file)).not.toContain(':7411');
    await runHalter(['connect', name, '--remove', '--yes'], { home });
    expect(read(file)).toBeUndefined();
  });
});

describe.each(names)('what %s is told', (name) => {
  const GIVEN = 'a-token-that-somebody-gave-to-halter-themselves';

  it('is the token that was given and the window; both go when it is taken back', async () => {
    const [home, other] = [scratchFolder(), scratchFolder()];
    const file = fileOf(name, home);
    const env = { HALTER_TOKEN: GIVEN };
    const done = await runHalter(['connect', name, '--yes', '--context-length', '54321'], { home, env });
    expect([done.code, read(file)]).toEqual([0, expect.stringContaining(GIVEN)]);
    expect(read(file)).toContain('54321');
    expect(done.err).not.toContain(GIVEN);
    putFiles(other, { token: GIVEN });
    const again = ['connect', name, '--yes', '--context-length', '54321', '--token-file', path.join(other, 'token')];
    expect((await runHalter(again, { home })).code).toBe(0);
    expect(read(file)).toContain(GIVEN);
    // A word of the person's since then: what is taken out is what was written, without the token at hand.
    fs.writeFileSync(file, addOther(name, read(file) ?? ''));
    expect((await runHalter(['connect', name, '--remove', '--yes'], { home })).code).toBe(0);
    expect(read(file) ?? '').not.toMatch(/54321|a-token/);
  });
});

/** As a client, or the person, writes into the file that halter made. */
const addOther = (name: string, text: string): string =>
  name === 'codex'
    ? `${text}\n[tui]\nstatus = [\n  "model", # mine ]\n]\n\n[projects."/home/me/[x]"]\ntrust_level = "trusted"\n`
    : text.replace('{', '{\n  "other": {\n    "mine": 1\n  },');
const OTHER = /trust_level = "trusted"|"mine": 1/;
/** Halter's own value with something written over it. */
const CHANGED: readonly (readonly [string, string])[] = [
  ['" }\n', '", X = "mine" }\n'],
  ['"apiKey": "', '"apiKey": "mine'],
  ['"ANTHROPIC_AUTH_TOKEN": "', '"ANTHROPIC_AUTH_TOKEN": "mine'],
];

describe.each(names)('what others wrote into the file that halter made for %s', (name) => {
  it('stays at a second connect and when the settings are taken back, byte for byte', async () => {
    verifies('B2');
    const home = scratchFolder();
    const file = fileOf(name, home);
    await runHalter(['connect', name, '--yes'], { home });
    fs.writeFileSync(file, addOther(name, read(file) ?? ''));
    const second = await runHalter(['connect', name, '--yes', '--port', '9999', '--context-length', '54321'], { home });
    expect([second.code, read(file)]).toEqual([0, expect.stringMatching(OTHER)]);
    expect(read(file)).toMatch(/:9999/);
    expect((await runHalter(['connect', name, '--yes'], { home })).code).toBe(0);
    expect(read(file)).not.toMatch(/:9999|54321/);
    fs.appendFileSync(file, '\n');
    const back = await runHalter(['connect', name, '--remove', '--yes'], { home });
    expect([back.code, back.err]).toEqual([0, expect.stringContaining('no longer connected')]);
    const others = name === 'codex' ? addOther(name, '') : '{\n  "other": {\n    "mine": 1\n  }\n}';
    expect(read(file)?.trim()).toBe(others.trim());
  });

  it('is named where it changed what halter wrote: the rest goes, and a token that stays is told', async () => {
    verifies('B2');
    const home = scratchFolder();
    const file = fileOf(name, home);
    await runHalter(['connect', name, '--yes'], { home });
    const changed = CHANGED.reduce((text, [from, to]) => text.replace(from, to), read(file) ?? '');
    fs.writeFileSync(file, changed);
    const back = await runHalter(['connect', name, '--remove', '--yes'], { home });
    expect([back.code, back.err]).toEqual([1, expect.stringMatching(/changed by hand since: .*\n.*token is still in/)]);
    expect(read(file)).not.toMatch(/7411|"default"/);
    expect((await runHalter(['connect'], { home })).out).toMatch(new RegExp(`${name}.*connected to http`));
    fs.rmSync(file);
    expect((await runHalter(['connect', name, '--remove', '--yes'], { home })).code).toBe(0);
  });
});

const inJson = names.filter((name) => {
  const settings = CONNECTED_CLIENTS[name]?.settings({ url: 'http://u', token: 't', model: 'm' });
  return settings !== undefined && 'edits' in settings;
});

describe.each(everyNth(inJson, 5))('the settings of %s', (name) => {
  const reads = CONNECTED_CLIENTS[name]?.reads ?? [];
  const remarks = [
    reads.includes('line_comment') ? '// a remark of the person' : '',
    reads.includes('block_comment') ? '/* and one more */' : '',
  ];
  const OWN = `{
  ${remarks[0]}
  "theme": "dark",   ${remarks[1]}
  "env": { "KEEP": "1" },
  "provider": { "mine": { "npm": "x" } },
  "providers": { "mine": {} }${reads.includes('trailing_comma') ? ',' : ''}
}
`;

  it('keep every other word and remark, and are the same bytes when it is taken back', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    putFiles(home, { [path.relative(home, file)]: OWN });
    fs.chmodSync(file, 0o640);
    expect((await runHalter(['connect', name, '--yes'], { home })).code).toBe(0);
    const written = read(file) ?? '';
    for (const line of [...remarks, '"KEEP": "1"', '"mine"']) {
      expect(written).toContain(line);
    }
    // It holds a token now.
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect((await runHalter(['connect', name, '--remove', '--yes'], { home })).code).toBe(0);
    expect(read(file)).toBe(OWN);
    expect(fs.statSync(file).mode & 0o777).toBe(0o640);
  });

  it('keep what the person changed in between', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    putFiles(home, { [path.relative(home, file)]: OWN });
    await runHalter(['connect', name, '--yes'], { home });
    fs.writeFileSync(file, (read(file) ?? '').replace('"dark"', '"light"'));
    expect((await runHalter(['connect', name, '--remove', '--yes'], { home })).code).toBe(0);
    expect(read(file)).toContain('"light"');
    expect(read(file)).not.toMatch(/127\.0\.0\.1/);
    expect(read(file)).toContain('"KEEP": "1"');
  });

  it('are left alone when they are damaged', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    putFiles(home, { [path.relative(home, file)]: '{\n  "theme": \n}' });
    const ran = await runHalter(['connect', name, '--yes'], { home });
    expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(/is not JSON \(line 3/)]);
    expect(read(file)).toBe('{\n  "theme": \n}');
  });

  it('are written through a link', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    putFiles(home, { 'dotfiles/settings.json': '{}\n' });
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.symlinkSync(path.join(home, 'dotfiles/settings.json'), file);
    expect((await runHalter(['connect', name, '--yes'], { home })).code).toBe(0);
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
    expect(read(path.join(home, 'dotfiles/settings.json'))).toContain('127.0.0.1');
  });
});

/** As they come from npm. They are large: the long run starts them. */
const PROGRAMS = [
  {
    client: 'codex',
    ...NPM_PROGRAMS.codex,
    args: ['exec', '--profile', 'halter', '--skip-git-repo-check', 'Say it.'],
  },
  {
    client: 'claude',
    ...NPM_PROGRAMS.claude,
    args: ['-p', 'Say it.'],
  },
  {
    client: 'opencode',
    ...NPM_PROGRAMS.opencode,
    args: ['run', '--model', 'halter/default', 'Say it.'],
  },
  {
    client: 'qwen',
    ...NPM_PROGRAMS.qwen,
    args: ['-p', 'Say it.'],
  },
  {
    client: 'pi',
    ...NPM_PROGRAMS.pi,
    args: ['--provider', 'halter', '--model', 'default', '-p', 'Say it.'],
  },
];

/** Whose keys stand in the settings already: nobody reads them over a shoulder, or in the log of a script. */
const FOREIGN = ['sk-ant-a-key-of-the-person-0123456789', 'another-servers-token-0123456789', 'a:password'];
const KEPT = `{
  "env": { "ANTHROPIC_API_KEY": "${FOREIGN[0]}", "ANTHROPIC_AUTH_TOKEN": "${FOREIGN[1]}", "KEEP": "1" },
  "security": { "auth": { "apiKey": "${FOREIGN[1]}", "baseUrl": "https://${FOREIGN[2]}@other.example/v1" } },
  "provider": { "mine": { "options": { "apiKey": "${FOREIGN[0]}", "headers": { "Authorization": "Bearer ${FOREIGN[1]}" } } } },
  "providers": { "mine": { "apiKey": '' } }
}
`.replace("''", `"${FOREIGN[0]}"`);

describe.each(names)('what is shown of the settings of %s', (name) => {
  it('holds no key, whosever it is', async () => {
    verifies('S1');
    const home = scratchFolder();
    const file = fileOf(name, home);
    const isJson = inJson.includes(name);
    const profile = `[model_providers.other]\nhttp_headers = { Authorization = "Bearer ${FOREIGN[1]}" }\nexperimental_bearer_token = "${FOREIGN[0]}"\n`;
    putFiles(home, { [path.relative(home, file)]: isJson ? KEPT : profile });
    const tokens = ['a', 'b'].map((letter) => letter.repeat(40));
    const told: string[] = [];
    for (const token of tokens) {
      const { code, err } = await runHalter(['connect', name, '--yes'], { home, env: { HALTER_TOKEN: token } });
      expect(code).toBe(0);
      expect(read(file)).toContain(token);
      told.push(err);
    }
    const back = await runHalter(['connect', name, '--remove', '--yes'], { home });
    expect(read(file)).toBe(isJson ? KEPT : profile);
    told.push(back.err);
    for (const secret of [...FOREIGN, ...tokens]) expect(told.join('\n')).not.toContain(secret);
    for (const text of told) expect(text).toMatch(/TOKEN/);
  });

  it('is not written where the person made the file read-only, and nothing is remembered', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    const empty = inJson.includes(name) ? '{}\n' : '# mine\n';
    putFiles(home, { [path.relative(home, file)]: empty });
    fs.chmodSync(file, 0o444);
    const ran = await runHalter(['connect', name, '--yes'], { home });
    expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(/is read-only.*Nothing was written/)]);
    expect([read(file), fs.statSync(file).mode & 0o777]).toEqual([empty, 0o444]);
    expect((await runHalter(['connect'], { home })).out).not.toMatch(/connected to http/);
  });

  it('is not taken back from a file that became read-only, and stays known', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    await runHalter(['connect', name, '--yes'], { home });
    const written = read(file);
    fs.chmodSync(file, 0o400);
    const ran = await runHalter(['connect', name, '--remove', '--yes'], { home });
    expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(/is read-only/)]);
    expect(read(file)).toBe(written);
    expect((await runHalter(['connect'], { home })).out).toMatch(new RegExp(`${name}.*connected to http`));
  });

  it('is not remembered where it could not be written', async () => {
    const home = scratchFolder();
    const file = fileOf(name, home);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.symlinkSync(path.join(home, 'nowhere/settings'), file);
    const ran = await runHalter(['connect', name, '--yes'], { home });
    expect(ran.code).toBe(1);
    expect((await runHalter(['connect'], { home })).out).not.toMatch(/connected to http/);
  });
});

describe('a client by another name', () => {
  it.each([
    ['claude-code', 'claude'],
    ['Claude Code', 'claude'],
    ['CODEX', 'codex'],
    ['qwen-code', 'qwen'],
    ['opencoed', 'opencode'],
  ])('%s is asked back as %s', async (given, meant) => {
    for (const command of ['connect', 'launch']) {
      const { code, err } = await runHalter([command, given], { home: scratchFolder() });
      expect([code, err]).toEqual([2, expect.stringContaining(`Did you mean ${meant}?`)]);
    }
  });
});

describe('halter connect', () => {
  it('names the clients it knows', async () => {
    const ran = await runHalter(['connect', 'open-code']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('opencode')]);
    expect((await runHalter(['connect', 'codex', '--remove'])).err).toContain('not connected');
  });

  it.each(onlyLong(PROGRAMS))('$client reaches `halter serve`', { timeout: INSTALL_MS + RUN_MS }, async (each) => {
    const program = await npmProgram(each);
    const model = await startScriptedServer({ turns: () => ({ text: 'Forty-two it is.' }), models: [{ id: 'm' }] });
    onTestFinished(() => model.close());
    const home = scratchFolder();
    const port = await freePort();
    await runHalter(['connect', each.client, '--yes', '--port', `${port}`], { home });
    const reach = ['--base-url', model.openaiUrl, '--model', 'm', '--provider', 'openai'];
    const serve = startHalter(['serve', '--port', `${port}`, ...reach], { home });
    await serve.said('http://');
    const folder = scratchFolder();
    putFiles(home, { '.claude.json': JSON.stringify({ hasCompletedOnboarding: true }) });
    const running = run(program, each.args, {
      cwd: folder,
      timeout: RUN_MS,
      env: { ...cleanEnvironment(home), IS_SANDBOX: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    });
    running.child.stdin?.end();
    expect((await running).stdout).toContain('Forty-two it is.');
  });
});

const freePort = async (): Promise<number> => {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe('a server that ran before a client was connected', () => {
  const withKey = (base: string, key: string) =>
    fetch(`${base}/v1/models`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status);
  const connected = async (home: string): Promise<string> => {
    await runHalter(['connect', 'codex', '--yes'], { home });
    return JSON.parse(read(path.join(home, '.config/halter/gateway-token.json')) ?? '{}').token;
  };
  const upstream = async (): Promise<string[]> => {
    const model = await startScriptedServer({ turns: () => ({ text: 'Hello.' }) });
    onTestFinished(() => model.close());
    return ['--provider', 'openai', '--base-url', model.openaiUrl];
  };

  it('takes its token, and the own one, and no other', async () => {
    verifies('B2');
    const home = scratchFolder();
    const server = await serving(await upstream(), { home });
    const other = 'x'.repeat(43);
    expect(await withKey(server.base, other)).toBe(401);
    const token = await connected(home);
    const all = [token, server.token, other, ''].map((key) => withKey(server.base, key));
    expect(await Promise.all(all)).toEqual([200, 200, 401, 401]);
  });

  it('takes no other than the one that it was given', async () => {
    verifies('B2');
    const home = scratchFolder();
    const env = { HALTER_TOKEN: 'y'.repeat(43) };
    const server = await serving(await upstream(), { home, env });
    const token = await connected(home);
    expect([await withKey(server.base, token), await withKey(server.base, env.HALTER_TOKEN)]).toEqual([401, 200]);
  });
});
