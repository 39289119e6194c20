/** `halter mcp login`: the real program, a browser that agrees, an authorization server that checks. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestAgent } from '../../src/testing/test-agent.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment, runHalter, startHalter } from '../support/halter-process.ts';
import { type OAuthServer, startOAuthServer } from '../support/oauth-mcp-server.ts';
import { scratchFolder } from '../support/scratch.ts';

const LONG = { timeout: 60_000 };

/** The address that the person is shown. */
const shownIn = (text: string): string => /^ {2}(http\S+)$/m.exec(text)?.[1] ?? '';

const world = async (server: OAuthServer) => {
  const home = scratchFolder();
  const file = path.join(home, '.config/halter/mcp-logins.json');
  expect((await runHalter(['mcp', 'add', 'far', server.url], { home })).code).toBe(0);
  /** As a browser does it: the address, and where it leads. */
  const logIn = async (browse: (address: string) => Promise<unknown> = (address) => fetch(address)) => {
    const running = startHalter(['mcp', 'login', 'far'], { home });
    let said = '';
    running.child.stderr?.on('data', (chunk) => {
      const before = shownIn(said);
      said += String(chunk);
      if (before === '' && shownIn(said) !== '') void browse(shownIn(said));
    });
    return running.finished;
  };
  const listed = async () => {
    const opened = await openTestAgent({
      folder: scratchFolder(),
      environment: cleanEnvironment(home),
      platform: process.platform,
      sandbox: false,
      onWarning: () => {},
      mcp: { files: true },
    });
    if (!opened.ok) throw new Error(opened.error.message);
    await opened.value.mcp.open();
    const [report] = opened.value.mcp.report();
    await opened.value.close();
    return report;
  };
  return { home, file, logIn, listed };
};

describe('halter mcp login', () => {
  it(
    'lets halter in with PKCE, keeps the tokens for the person alone, renews them, and forgets them',
    LONG,
    async () => {
      verifies('B10', 'B11');
      const server = await startOAuthServer();
      const { home, file, logIn, listed } = await world(server);
      expect(await listed()).toMatchObject({
        state: 'login needed',
        detail: expect.stringContaining('halter mcp login far'),
      });
      const refused = await runHalter(['tools', 'call', 'mcp__far__whoami', '{}', '--allow', 'mcp__*'], { home });
      expect(refused.err).toContain('halter mcp login far');
      // A run sends nobody anywhere and registers nothing.
      expect(server.seen.filter((line) => /register|authorize|token/.test(line))).toEqual([]);

      const done = await logIn();
      expect([done.code, done.out]).toEqual([0, '']);
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
      expect(fs.readFileSync(file, 'utf8')).toContain('access-1');
      expect(await listed()).toMatchObject({ state: 'connected', tools: 1 });
      const called = await runHalter(['tools', 'call', 'mcp__far__whoami', '{}', '--allow', 'mcp__*'], { home });
      expect(called.json()).toMatchObject({ success: true, data: 'Ada' });

      server.revoke('access');
      expect(await listed()).toMatchObject({ state: 'connected' });
      expect(server.seen).toContain('POST /token refresh_token');
      expect(fs.readFileSync(file, 'utf8')).toContain('access-2');
      server.revoke('refresh');
      expect(await listed()).toMatchObject({ state: 'login needed' });

      expect((await logIn()).code).toBe(0);
      const everything = JSON.stringify(await listed());
      expect(everything).not.toMatch(/access-|refresh-/);
      expect((await runHalter(['mcp', 'logout', 'far'], { home })).code).toBe(0);
      expect(fs.readFileSync(file, 'utf8')).not.toMatch(/access-|refresh-/);
      expect((await runHalter(['mcp', 'logout', 'far'], { home })).code).toBe(1);
      expect(await listed()).toMatchObject({ state: 'login needed' });
    },
  );

  it('takes no answer that is not its own, and keeps nothing of a login that failed', LONG, async () => {
    verifies('B10');
    const server = await startOAuthServer();
    const { file, logIn } = await world(server);
    const forged = await logIn(async (address) => {
      const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
      expect(back.hostname).toBe('127.0.0.1');
      back.search = '?code=stolen&state=of-somebody-else';
      // A page that plays with names is not answered at all.
      expect((await fetch(new URL('/elsewhere', back))).status).toBe(404);
      await fetch(back);
    });
    expect([forged.code, forged.err]).toEqual([1, expect.stringContaining('does not belong to this login')]);
    expect(server.seen.filter((line) => line.startsWith('POST /token'))).toEqual([]);
    const denied = await logIn(async (address) => {
      const { searchParams } = new URL(address);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = `?error=access_denied&error_description=No\u001b[2J&state=${searchParams.get('state')}`;
      await fetch(back);
    });
    expect(denied.err).toContain('access_denied');
    expect(denied.err).not.toContain('\u001b');
    expect(fs.existsSync(file)).toBe(false);
  });

  it(
    'sends tokens to no other address, and asks no address of a private network that a server names',
    LONG,
    async () => {
      verifies('B10');
      const server = await startOAuthServer();
      const { home, logIn, listed, file } = await world(server);
      expect((await logIn()).code).toBe(0);
      const other = await startOAuthServer();
      expect((await runHalter(['mcp', 'add', 'far', other.url], { home })).code).toBe(0);
      expect(await listed()).toMatchObject({ state: 'login needed' });
      expect(other.bearers).toEqual([]);
      fs.chmodSync(file, 0o644);
      expect((await runHalter(['mcp', 'login', 'far'], { home })).err).toContain('chmod 600');

      const sly = await startOAuthServer({ authorizationServer: 'http://169.254.169.254/latest' });
      const asked = await world(sly);
      const refused = await asked.logIn();
      expect([refused.code, shownIn(refused.err)]).toEqual([1, '']);
      expect(refused.err).toMatch(/169\.254\.169\.254|private|link-local/i);
    },
  );
});
