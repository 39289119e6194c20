/** LoRA adapters of a llama.cpp server: it is started with them, and a request says how much of each counts. */
import type { LoraAdapter } from '../../core/engine-options.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { Network } from '../../core/ports.ts';
import { objectOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import type { Further, OpenAIFlavour } from '../openai/openai.ts';

type Server = { network: Network; root: string; headers: Readonly<Record<string, string>> };

const nameOf = (file: string): string => file.split(/[\\/]/).at(-1) ?? file;

/** The server's file lies on its own machine, so the name of the file is what says which one is meant. */
const chooseAdapters = async (
  { network, root, headers }: Server,
  wanted: readonly LoraAdapter[],
  signal: AbortSignal,
): Promise<Further> => {
  const answer = await network.request({
    method: 'GET',
    url: `${root}/lora-adapters`,
    headers,
    signal,
    connectTimeoutMs: PROVIDER_LIMITS.modelConnectTimeoutMs,
    firstByteTimeoutMs: PROVIDER_LIMITS.modelInformationTimeoutMs,
    maxResponseBytes: PROVIDER_LIMITS.modelInformationBytes,
  });
  const text = answer.ok ? await answer.value.text() : answer;
  if (!answer.ok || !text.ok)
    return { ok: false, error: { code: 'unreachable', message: text.ok ? '' : text.error.message } };
  const listed = answer.value.status === 200 ? adaptersIn(text.value) : [];
  const lora: { id: number; scale: number }[] = [];
  for (const { file, scale } of wanted) {
    const found = listed.find(({ path }) => nameOf(path) === nameOf(file));
    if (found === undefined) return { ok: false, error: missing(root, file, listed) };
    lora.push({ id: found.id, scale });
  }
  return { ok: true, fields: { lora } };
};

const adaptersIn = (text: string): { id: number; path: string }[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(value) ? value : []).flatMap((entry) => {
    const { id, path } = objectOf(entry);
    return typeof id === 'number' && typeof path === 'string' ? [{ id, path }] : [];
  });
};

const missing = (root: string, file: string, listed: readonly { path: string }[]): ModelError => ({
  code: 'bad_request',
  message: `The server at ${root} has no adapter ${nameOf(file)}. It has ${listed.length === 0 ? 'none' : listed.map(({ path }) => nameOf(path)).join(', ')}.`,
  hint: `Start it with \`llama-server --lora ${nameOf(file)}\`, or leave --lora out.`,
});

/** Every request says which adapters count; those that it does not name count for nothing. */
export const adapterFields = (
  network: Network,
  wanted: readonly LoraAdapter[],
): NonNullable<OpenAIFlavour['further']> => {
  let chosen: Promise<Further> | undefined;
  return async (root, headers, signal) => {
    chosen ??= chooseAdapters({ network, root, headers }, wanted, signal);
    const found = await chosen;
    // A server that is started anew may have it.
    if (!found.ok) chosen = undefined;
    return found;
  };
};
