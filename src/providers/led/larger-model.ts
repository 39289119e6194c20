/** A model that fits this machine, for whoever asks more than the starter can do. */
import { totalmem } from 'node:os';

const GIGABYTE = 1024 ** 3;
/** Models of a size that leaves room for the rest of the machine, the largest first. */
const LARGER: readonly { memory: number; model: string }[] = [
  { memory: 32 * GIGABYTE, model: 'qwen3:14b' },
  { memory: 16 * GIGABYTE, model: 'qwen3:8b' },
  { memory: 8 * GIGABYTE, model: 'qwen3:4b' },
  { memory: 0, model: 'qwen3:1.7b' },
];

/** The command that gets a model that fits this machine's memory. */
export const largerModelCommand = (memory: number = totalmem()): string =>
  `ollama pull ${LARGER.find((each) => memory >= each.memory)?.model ?? 'qwen3:1.7b'}`;

/** One honest sentence: what a model of this size does not do. */
export const beyondModel = (called: string, what: string, larger = ''): string =>
  `${called} cannot ${what}; a larger model can${larger === '' ? '' : ` ${larger}`}: \`${largerModelCommand()}\`.`;

export const THE_STARTER = 'The starter';
export const beyondStarter = (what: string): string => beyondModel(THE_STARTER, what);
