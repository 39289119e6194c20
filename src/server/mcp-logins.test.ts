import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { succeed } from '../core/outcome.ts';
import { createMcpLogins, type McpLoginPorts } from './mcp-logins.ts';

it('is under way until the server stands otherwise, so that a page goes on looking', async () => {
  verifies('B10');
  const letIn = Promise.withResolvers<void>();
  const connected = Promise.withResolvers<void>();
  const ports: McpLoginPorts = {
    isKept: async () => true,
    async logIn(_name, { open }) {
      open(new URL('http://127.0.0.1:1/authorize'));
      await letIn.promise;
      return succeed(undefined);
    },
    forget: async () => succeed(undefined),
  };
  const begun = Promise.withResolvers<void>();
  const connect = (): Promise<void> => {
    begun.resolve();
    return connected.promise;
  };
  const logins = createMcpLogins(ports, connect, new AbortController().signal);
  await logins.begin('far');
  letIn.resolve();
  await begun.promise;
  expect((await logins.state('far')).address).toBe('http://127.0.0.1:1/authorize');
  connected.resolve();
  await expect.poll(async () => (await logins.state('far')).address).toBeUndefined();
});
