/** What decides whether a model is led. The steps themselves are loaded where one is. */
import type { LeadingProvider } from '../../core/led-port.ts';
import type { ModelInfo } from '../../core/model-port.ts';
import { LED_LIMITS } from './limits.ts';

/** `SmolLM2-135M`, `qwen2.5:0.5b`: how many parameters a name says. */
const parametersIn = (name: string): number | undefined => {
  const found = /(?<![a-z0-9.])(\d+(?:\.\d+)?)([mb])(?![a-z0-9])/i.exec(name);
  return found === null ? undefined : Number(found[1]) * (found[2]?.toLowerCase() === 'b' ? 1e9 : 1e6);
};

/** Too small to judge by itself, as far as its server or its name says how large it is. */
export const isSmallModel = ({ id, size_bytes: bytes }: Pick<ModelInfo, 'id' | 'size_bytes'>): boolean => {
  if (bytes !== undefined) return bytes < LED_LIMITS.ledSmallModelBytes;
  const parameters = parametersIn(id);
  return parameters !== undefined && parameters < LED_LIMITS.ledSmallModelParameters;
};

/** llama.cpp's server names a model by its whole path where it is given no other name. */
export const shownName = (model: string): string =>
  /\.gguf$/i.test(model) ? model.replace(/^.*[/\\]/, '').replace(/\.gguf$/i, '') : model;

/** An engine that holds no text to a schema cannot lead. */
export const canLead = (provider: LeadingProvider): boolean =>
  provider.led !== undefined || provider.constrains === true;
