/** A provider whose model is led. */
import type { LeadingProvider, LedPort, LedTurn } from '../../core/led-port.ts';
import type { ModelMessage } from '../../core/message.ts';
import type { ModelProvider, ModelRequest } from '../../core/model-port.ts';
import { shownName } from './facts.ts';
import { Meter } from './meter.ts';
import { toPlainTurns } from './turns.ts';

// The steps are large, and most models take none.
const loadSteps = () => import('../led.ts');
const loadSchemaPort = () => import('./schema-port.ts');

const asMessage = ({ role, content }: LedTurn): ModelMessage =>
  role === 'assistant' ? { role, content, tool_calls: [], finish: 'stop' } : { role, content };

/** The same provider, with the model led in steps. One that leads by itself stays as it is. */
export const ledProvider = (
  inner: LeadingProvider,
  { isSmall, monotonic }: { isSmall: boolean; monotonic(): number },
): ModelProvider => {
  const portFor = async (model: string, signal: AbortSignal): Promise<LedPort> =>
    (await inner.led?.(model, signal)) ?? (await loadSchemaPort()).createSchemaPort(inner, model);
  /** As the conversation stands before the model, without tools. */
  const plain = <Asked extends Pick<ModelRequest, 'tools' | 'messages'>>(request: Asked): Asked => ({
    ...request,
    tools: [],
    messages: toPlainTurns(request.messages).map(asMessage),
  });
  return {
    name: inner.name,
    endpoint: inner.endpoint,
    models: (signal) => inner.models(signal),
    describe: (model, signal) => inner.describe(model, signal),
    close: () => inner.close(),
    ...(inner.constrains ? { constrains: true as const } : {}),
    ...(inner.passes ? { passes: inner.passes } : {}),
    ...(inner.countTokens ? { countTokens: (asked, signal) => inner.countTokens!(plain(asked), signal) } : {}),
    ...(inner.warmUp
      ? { warmUp: { ...inner.warmUp, read: (asked, signal) => inner.warmUp!.read(plain(asked), signal) } }
      : {}),
    ...(inner.embed ? { embed: (request, signal) => inner.embed!(request, signal) } : {}),
    async stream(request, emit, signal) {
      const work = {
        request,
        emit,
        signal,
        meter: new Meter(monotonic),
        quotes: isSmall,
        called: shownName(request.model),
      };
      return (await loadSteps()).streamLed(work, () => portFor(request.model, signal));
    },
    async decodeToolCall(request, signal) {
      const port = await portFor(request.model, signal);
      return (await loadSteps()).decodeLedCall(port, request, { meter: new Meter(monotonic), signal });
    },
  };
};
