/** A server in this process: a real workspace and real sessions in temporary folders, a model that speaks from a script. */

import { onTestFinished } from 'vitest';
import type { ModelInfo } from '../../src/core/model-port.ts';
import { type AppOptions, createApp } from '../../src/server/index.ts';
import { type ScriptedProviderSource, type ScriptedProviderTurn, scriptedProvider } from '../../src/testing/index.ts';
import { openTestAgent, type TestAgentOptions } from '../../src/testing/test-agent.ts';
import { scratchFolder } from './scratch.ts';
import { checkDescribed } from './undescribed.ts';

export const TOKEN = 'a-token-of-the-tests';
export const ORIGIN = 'http://127.0.0.1:7411';

export const testServer = async (
  turns: ScriptedProviderSource | readonly ScriptedProviderSource[],
  options: Partial<TestAgentOptions> & Partial<AppOptions> & { models?: ModelInfo[] } = {},
) => {
  // A sandbox has devices of its own, and the memory is one of them.
  const isPlain = !options.sandbox;
  const folder = scratchFolder(isPlain);
  const home = scratchFolder(isPlain);
  const provider = scriptedProvider(
    // One turn for whatever is asked.
    typeof turns === 'function' || Array.isArray(turns) ? turns : async () => turns as ScriptedProviderTurn,
    { models: options.models ?? [{ id: 'm' }] },
  );
  const defects: unknown[] = [];
  /** Another start of it, with these options in place of the first ones. */
  const open = async (others: Partial<TestAgentOptions> = {}) => {
    const assembled = await openTestAgent({
      folder,
      environment: {
        HOME: home,
        PATH: process.env['PATH'],
        XDG_CONFIG_HOME: `${home}/config`,
        XDG_DATA_HOME: `${home}/data`,
      },
      platform: process.platform,
      onWarning: () => {},
      modelProvider: provider,
      model: 'm',
      sandbox: false,
      ...options,
      ...others,
    } as TestAgentOptions);
    if (!assembled.ok) throw new Error(assembled.error.message);
    const app = createApp({
      halter: assembled.value,
      token: TOKEN,
      onDefect: (error) => defects.push(error),
      ...options,
    });
    const close = async (): Promise<void> => {
      await app.close();
      await assembled.value.close();
    };
    onTestFinished(close);
    return { app, halter: assembled.value, close };
  };
  const { app, halter, close } = await open();

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const response = await app(
      new Request(`${ORIGIN}${path}`, {
        method,
        headers: {
          host: '127.0.0.1:7411',
          authorization: `Bearer ${TOKEN}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
    await checkDescribed(method, path, response);
    return response;
  };
  const json = async <T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> =>
    (await (await call(method, path, body)).json()) as T;
  return { app, halter, provider, folder, home, defects, call, json, open, close };
};
