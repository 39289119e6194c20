import { describe, expect, it } from 'vitest';
import { LOADING, type ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { whenLoaded } from './when-loaded.ts';

const loading: Outcome<string, ModelError> = {
  ok: false,
  error: { code: 'server_error', message: 'loading', reason: LOADING },
};
const waiting = () => {
  let at = 0;
  const { signal } = new AbortController();
  const pause = async (): Promise<void> => {
    at += AGENT_LIMITS.modelRetryMs;
    if (at > 2 * AGENT_LIMITS.modelLoadMs) throw new Error('It waits for ever.');
  };
  return { signal, onLoading: () => {}, now: () => at, pause };
};

describe('a server that loads its model', () => {
  it('is waited for', async () => {
    let asked = 0;
    const open = async (): Promise<Outcome<string, ModelError>> => {
      asked += 1;
      return asked < 4 ? loading : { ok: true, value: 'model' };
    };
    expect(await whenLoaded(open, waiting())).toEqual({ ok: true, value: 'model' });
  });

  it('is given up where it never ends, with what to do', async () => {
    const given = await whenLoaded(async () => loading, waiting());
    expect(given.ok ? '' : given.error.message).toMatch(/loading its model for 30 minutes.*Its own log/);
  });
});
