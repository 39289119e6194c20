/** What `halter serve` says of a model that is not there when it starts. It starts nevertheless: the model may come later. */
import type { Agent } from '../agent/create-agent.ts';
import { withHint } from '../core/error-text.ts';
import { engineMissing, INSTALL_ENGINE } from '../providers/embedded/install-engine.ts';

const NONE =
  'No model server answers on this machine, and no model file is here. Start a server (Ollama, llama.cpp, vLLM, LM Studio), or name one with --base-url. `halter models pull starter` gets a small model.';
const FIRST_REQUEST = 'So does the first request that names no other, unless --offline is set.';

/** Undefined where there is one. */
export const missingModel = async (
  models: Pick<Agent['models'], 'answers' | 'list'>,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const answered = await models.answers();
  if (answered !== undefined)
    return answered.ok ? undefined : `Requests are refused for now. ${withHint(answered.error)}`;
  const listed = await models.list(signal);
  if (signal.aborted || listed.some(({ problem }) => problem === undefined)) return undefined;
  return `${NONE} ${engineMissing() === undefined ? FIRST_REQUEST : `For that, ${INSTALL_ENGINE}.`}`;
};
