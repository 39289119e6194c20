/** Whether the text of a model begins in thoughts that its prompt opened. */
import type { ModelProvider } from '../../core/model-port.ts';
import { isNamedThinker } from '../../dialects/index.ts';
import type { ModelSpeeds } from '../../storage/model-speeds.ts';

export type ThinkingModel = {
  provider: Pick<ModelProvider, 'name'>;
  speeds?: Pick<ModelSpeeds, 'of' | 'learnThoughts'> | undefined;
};

/** As its last answer showed; before the first one as its name says, where its server may leave thoughts in the text. */
export const opensThoughts = ({ provider, speeds }: ThinkingModel, model: string): boolean =>
  speeds?.of(model).opens_thoughts ?? (provider.name === 'openai' && isNamedThinker(model));
