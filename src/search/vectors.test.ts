/** Vectors through the whole service: made by an embedder, kept beside the index, and part of the answer. */

import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { succeed } from '../core/outcome.ts';
import type { Embedder } from '../core/retrieval-port.ts';
import { createWorkspace } from '../io/workspace.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { openRetrieval } from './open-retrieval.ts';

/** Knows two meanings, whatever the words: animals that swim, and money. */
const MEANINGS = [/whale|sea|swim/i, /bill|money|pay/i];
const _embedder = (model: string, asked: string[][] = []): Embedder => ({
  model,
  async embed(texts) {
    asked.push([...texts]);
    return succeed(
      texts.map((text) => Float32Array.from([...MEANINGS.map((meaning) => (meaning.test(text) ? 5 : 0)), 0.1])),
    );
  },
});

const world = async (by?: Embedder) => {
  const root = scratchFolder();
  putFiles(root, { 'a.md': '# One\n\nThe whale.\n', 'b.md': '# Two\n\nA bill comes.\n' });
  const dataFolder = path.join(scratchFolder(), 'data');
  const workspace = await createWorkspace({ root });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const open = (embedding?: Embedder) => {
    const service = openRetrieval({
      dataFolder,
      workspace: workspace.value,
      ...(embedding ? { embedder: embedding } : {}),
    });
    onTestFinished(() => service.close());
    return service;
  };
  return { root, open, service: open(by) };
};

describe('an answer', () => {
  it('is of the files as they are now, also where one changed behind the index', async () => {
    verifies('Z20');
    const { root, service } = await world();
    await service.index();
    putFiles(root, { 'a.md': '# One\n\nNow a penguin and the whale.\n' });
    expect(await service.search('whale', { limit: 1 })).toMatchObject({
      value: [{ text: expect.stringContaining('penguin') }],
    });
  });

  it('without an index says what to do', async () => {
    const { service } = await world();
    expect(await service.search('whale', { limit: 1 })).toMatchObject({ error: { reason: 'no_index' } });
    expect(await service.graph.ask({ relation: 'calls', symbol: 'x', limit: 1 })).toMatchObject({
      error: { reason: 'no_index' },
    });
  });
});

describe('a question', () => {
  afterEach(() => void vi.useRealTimers());

  it('does not wait for ever for a model that is still being loaded', async () => {
    verifies('Z20');
    const loading: Embedder = { model: 'm', embed: () => new Promise(() => {}) };
    const { service, open } = await world();
    await service.index();
    const slow = open(loading);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const patience = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), ms);
      return controller.signal;
    });
    onTestFinished(() => patience.mockRestore());
    const asked = slow.search('whale', { limit: 1 });
    await vi.waitFor(() => expect(patience).toHaveBeenCalled(), { timeout: 50_000 });
    await vi.advanceTimersByTimeAsync(SEARCH_LIMITS.embedFirstQueryTimeoutMs);
    expect(await asked).toMatchObject({ value: [{ path: 'a.md', found_by: ['words'] }] });
  });
});
