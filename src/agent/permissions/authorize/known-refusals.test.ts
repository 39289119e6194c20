/** Addresses that the port for tools refuses whatever a person answers: nobody is asked about them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { parseRule } from '../../../core/policy.ts';
import { createNetwork } from '../../../io/network.ts';
import { createWorkspace } from '../../../io/workspace.ts';
import { TOOL_LIMITS } from '../../../tools/limits.ts';
import { webFetch } from '../../../tools/web-fetch.ts';
import { createToolRegistry } from '../../loop/run-tool/tool-registry.ts';
import { authorize } from '../authorize.ts';

type Choices = { allow?: string[]; allowPrivate?: string[] };

const opened = async ({ allow = [], allowPrivate = [] }: Choices) => {
  const workspace = await createWorkspace({ root: scratchFolder() });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const looked: string[] = [];
  const free = createNetwork({
    async resolve(name) {
      looked.push(name);
      return [{ address: '93.184.216.34', family: 4 }];
    },
    dial: () => {
      throw new Error('nothing is sent here');
    },
  });
  onTestFinished(() => free.close());
  const network = free.guarded({ allowPrivate });
  const rules = allow.map((text) => {
    const rule = parseRule(text);
    if (!rule.ok) throw new Error(rule.error.message);
    return { ...rule.value, source: 'command line' as const };
  });
  const config = {};
  const ports = {
    registry: createToolRegistry([webFetch], config),
    rules: () => ({ allow: rules, deny: [], mode: 'ask' as const }),
    workspace: workspace.value,
    network,
    config,
  };
  const judge = (url: string) => authorize(ports, { name: 'web_fetch', arguments: { url } }, { mode: 'model' });
  /** What the port itself says of it when it is asked for. */
  const sent = async (url: string): Promise<string | undefined> => {
    const answer = await network.request({
      method: 'GET',
      url,
      signal: new AbortController().signal,
      connectTimeoutMs: 2_000,
      maxResponseBytes: 10,
    });
    const isRefused = !answer.ok && (answer.error.kind === 'blocked' || answer.error.kind === 'invalid_url');
    return isRefused ? answer.error.message : undefined;
  };
  return { judge, sent, looked };
};

const REFUSED: readonly [url: string, choices?: Choices][] = [
  ['http://127.0.0.1:18431/secret'],
  ['http://localhost:3000/'],
  ['http://LOCALHOST./'],
  ['http://app.localhost/'],
  ['http://2130706433/'],
  ['http://0x7f.1/'],
  ['http://[::1]:8080/'],
  ['http://[::ffff:127.0.0.1]/'],
  ['http://0.0.0.0/'],
  ['http://10.0.0.1/'],
  ['http://192.168.1.1/'],
  ['http://169.254.169.254/latest/meta-data/'],
  ['http://[fd00::1]/'],
  ['http://printer/'],
  ['http://printer.local/'],
  ['https://wiki.internal/'],
  ['http://example.com:22/'],
  ['ftp://example.com/'],
  ['file:///etc/passwd'],
  ['example.com'],
  ['http://'],
  ['http://user:pass@example.com/'],
  ['http://127.0.0.1:81/', { allowPrivate: ['127.0.0.1:80'] }],
  ['http://10.1.0.1/', { allowPrivate: ['192.168.0.0/16'] }],
];

const ASKED: readonly [url: string, choices?: Choices][] = [
  ['https://example.com/'],
  ['http://93.184.216.34/'],
  ['http://[2606:2800:220:1::1]/'],
  // Where a name leads nobody knows before it is looked up, which tells others of it.
  ['https://inner.example.com/'],
  ['http://127.0.0.1:80/', { allowPrivate: ['127.0.0.1:80'] }],
  ['http://localhost:3000/', { allowPrivate: ['localhost'] }],
  ['http://printer/', { allowPrivate: ['192.168.0.0/16'] }],
  ['http://192.168.1.1/', { allowPrivate: ['192.168.0.0/16'] }],
  ['http://10.0.0.1:22/', { allowPrivate: ['*'] }],
];

describe('a call of web_fetch', () => {
  it.each(REFUSED)('of %s is refused without a question', async (url, choices = {}) => {
    verifies('Z7');
    const { judge, sent, looked } = await opened(choices);
    const answer = await judge(url);
    expect(answer).toMatchObject({ kind: 'refused', error_type: 'permission_denied' });
    expect(answer).not.toHaveProperty('reason');
    const plain = (text: string | undefined): string | undefined => text?.toLowerCase().replace(/\.$/, '');
    expect(plain(await sent(url))).toBe(plain(answer.kind === 'refused' ? answer.message : ''));
    expect(looked).toEqual([]);
  });
  it.each(ASKED)('of %s is asked about, and nothing is looked up before', async (url, choices = {}) => {
    const { judge, looked } = await opened(choices);
    expect(await judge(url)).toMatchObject({ kind: 'evaluated', verdict: 'ask' });
    expect(looked).toEqual([]);
  });
  it('that is too long is refused without a question', async () => {
    const { judge } = await opened({});
    const url = `https://example.com/${'a'.repeat(TOOL_LIMITS.webUrlCharacters)}`;
    expect(await judge(url)).toMatchObject({ kind: 'refused', message: expect.stringContaining('longer than') });
  });
  it('that a rule allows is run, and the port refuses it', async () => {
    const { judge, sent } = await opened({ allow: ['web_fetch'] });
    expect(await judge('http://127.0.0.1/')).toMatchObject({ kind: 'evaluated', verdict: 'allow' });
    expect(await sent('http://127.0.0.1/')).toContain('is this machine');
  });
});
