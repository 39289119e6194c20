import type { ModelMessage } from '../../../core/message.ts';
import type { ModelProvider } from '../../../core/model-port.ts';
import { answerReserve, type PromptMeter, type PromptSize } from '../../../core/window.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { WindowOptions } from './window-options.ts';

type Measured = {
  provider: Pick<ModelProvider, 'countTokens'>;
  requestOf: WindowOptions['requestOf'];
  meter: PromptMeter;
  session: SessionHandle;
  messages: readonly ModelMessage[];
  contextTokens: number;
};

/** The size of a prompt. Where the estimate alone would decide, the server's own tokenizer is asked, if it has one. */
export const nearSize = async ({
  provider,
  requestOf,
  meter,
  session,
  messages,
  contextTokens,
}: Measured): Promise<PromptSize> => {
  const { model } = session.state();
  const size = meter.size(model, messages);
  const roomy = contextTokens - answerReserve(contextTokens);
  const doubt = size.calibrated ? ESTIMATE_DOUBT : ESTIMATE_DOUBT_AT_FIRST;
  if (provider.countTokens === undefined || size.tokens * doubt <= roomy) return size;
  const counted = await provider.countTokens(requestOf(session, messages), session.signal());
  if (counted === undefined || counted === 0) return size;
  meter.measured(model, messages, counted);
  return { tokens: counted, calibrated: true };
};

/** How far an estimate may be off: after the server counted a prompt of this model, and before. */
const ESTIMATE_DOUBT = 1.1;
const ESTIMATE_DOUBT_AT_FIRST = 1.6;
