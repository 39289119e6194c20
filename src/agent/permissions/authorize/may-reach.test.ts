import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { type PolicyRules, parseRule } from '../../../core/policy.ts';
import { createWorkspace } from '../../../io/workspace.ts';
import { webFetch } from '../../../tools/web-fetch.ts';
import { createToolRegistry } from '../../loop/run-tool/tool-registry.ts';
import { authorize } from '../authorize.ts';
import { mayReach } from './may-reach.ts';

const opened = async (url: string, allow: readonly string[], deny: readonly string[] = []) => {
  const workspace = await createWorkspace({ root: scratchFolder() });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const sourced = (texts: readonly string[]) =>
    texts.map((text) => {
      const rule = parseRule(text);
      if (!rule.ok) throw new Error(rule.error.message);
      return { ...rule.value, source: 'command line' as const };
    });
  const rules: PolicyRules = { allow: sourced(allow), deny: sourced(deny), mode: 'ask' };
  const ports = { registry: createToolRegistry([webFetch], {}), rules: () => rules, workspace: workspace.value };
  const judge = (args: object) => authorize(ports, { name: 'web_fetch', arguments: args }, { mode: 'model' });
  const answer = await judge({ url });
  if (answer.kind !== 'evaluated') throw new Error(answer.message);
  const reach = mayReach(answer, judge);
  if (reach === undefined) throw new Error('web_fetch goes to an address');
  return reach;
};

describe('a redirect of a page that may be fetched', () => {
  it('is followed where a rule covers its address, hop by hop', async () => {
    verifies('S42');
    const reach = await opened('https://a.test/x', ['web_fetch(https://a.test/**)']);
    expect(await reach('https://a.test/y')).toBe(true);
    expect(await reach('https://b.test/y')).toBe(false);
    expect(await reach('http://a.test/y')).toBe(false);
    expect(await reach('https://a.test.evil.test/')).toBe(false);
    const every = await opened('https://a.test/x', ['web_fetch'], ['web_fetch(https://b.test/**)']);
    expect(await every('https://c.test/')).toBe(true);
    expect(await every('https://b.test/')).toBe(false);
  });

  it('is followed on the same host after a person said yes to the address', async () => {
    const reach = await opened('http://a.test/x', []);
    expect(await reach('https://a.test/login')).toBe(true);
    expect(await reach('https://b.test/')).toBe(false);
    expect(await reach('https://a.test@b.test/')).toBe(false);
  });
});
