/** Has an Ollama server pull or delete a model, in its own protocol. */

import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { HttpRequest, Network } from '../../core/ports.ts';
import { PROVIDER_LIMITS } from '../limits.ts';

type Ask = { network: Network; url: string; model: string; signal: AbortSignal };
type Line = { error?: string; status?: string; total?: number; completed?: number };

const request = ({ network, url, model, signal }: Ask, method: HttpRequest['method'], path: string) =>
  network.request({
    method,
    url: `${url}${path}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model }),
    signal,
    connectTimeoutMs: PROVIDER_LIMITS.modelConnectTimeoutMs,
    silenceTimeoutMs: PROVIDER_LIMITS.modelSilenceTimeoutMs,
    maxResponseBytes: PROVIDER_LIMITS.modelResponseBytes,
  });

const readLine = (text: string): Line => {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return {};
  }
};

export const pullWithOllama = async (
  ask: Ask,
  onProgress: (status: string, fraction?: number) => void,
): Promise<Outcome<void>> => {
  const response = await request(ask, 'POST', '/api/pull');
  if (!response.ok) return failure('io_error', `Ollama at ${ask.url} cannot be reached: ${response.error.message}`);
  let rest = '';
  let problem: string | undefined;
  let done = false;
  const take = (line: string): void => {
    const { error, status, total, completed } = readLine(line);
    problem ??= error;
    if (status === 'success') done = true;
    if (status !== undefined) onProgress(status, total ? (completed ?? 0) / total : undefined);
  };
  const read = await response.value.read((chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  take(rest);
  if (problem !== undefined) return failure('not_found', `Ollama cannot pull ${ask.model}: ${problem}`);
  if (!read.ok)
    return failure('io_error', `The pull broke off: ${read.error.message}. Start it again; it goes on there.`);
  return done ? succeed(undefined) : failure('io_error', `Ollama ended the pull of ${ask.model} without a word.`);
};

export const removeFromOllama = async (ask: Ask): Promise<Outcome<void>> => {
  const response = await request(ask, 'DELETE', '/api/delete');
  if (!response.ok) return failure('io_error', `Ollama at ${ask.url} cannot be reached: ${response.error.message}`);
  const text = await response.value.text();
  if (response.value.status < 300) return succeed(undefined);
  const reason = text.ok ? (readLine(text.value).error ?? text.value) : text.error.message;
  return failure('not_found', `Ollama cannot delete ${ask.model}: ${reason}`);
};
