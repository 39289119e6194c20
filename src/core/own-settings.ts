/** What a person sets for one session, on top of what halter was started with. It stands in the log and goes with it. */
import { LIMITS, type Limits } from './limits.ts';
import type { Sampling } from './model-port.ts';

/** Absent: as halter was started. A command replaces all of it. */
export type OwnSettings = {
  /** After the instructions that every session has. */
  instructions?: string;
  temperature?: number;
  top_p?: number;
  seed?: number;
  /** Tokens of one answer at most. */
  max_tokens?: number;
  think?: boolean;
  max_iterations?: number;
  max_tool_calls?: number;
  /** Tools that are not offered, by name. */
  tools_off?: readonly string[];
};

/** One schema for the command, the event and what begins a session. */
export const OWN_SETTINGS = {
  type: 'object',
  additionalProperties: false,
  properties: {
    instructions: {
      type: 'string',
      maxLength: LIMITS.instructionsCharacters,
      description: 'After the instructions that every session has.',
    },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    top_p: { type: 'number', minimum: 0, maximum: 1 },
    seed: { type: 'integer', minimum: 0 },
    max_tokens: { type: 'integer', minimum: 1, description: 'Tokens of one answer at most.' },
    think: { type: 'boolean' },
    max_iterations: { type: 'integer', minimum: 1, description: 'Iterations of one message.' },
    max_tool_calls: { type: 'integer', minimum: 1, description: 'Calls of one iteration.' },
    tools_off: {
      type: 'array',
      maxItems: LIMITS.toolsOff,
      items: { type: 'string', minLength: 1, maxLength: LIMITS.toolNameCharacters },
      description: 'Tools that are not offered and do not run.',
    },
  },
} as const;

export const samplingIn = ({ temperature, top_p, seed, max_tokens, think }: OwnSettings): Sampling => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(top_p === undefined ? {} : { top_p }),
  ...(seed === undefined ? {} : { seed }),
  ...(max_tokens === undefined ? {} : { max_tokens }),
  ...(think === undefined ? {} : { think }),
});

export const limitsWith = (limits: Limits, { max_iterations, max_tool_calls }: OwnSettings): Limits => ({
  ...limits,
  ...(max_iterations === undefined ? {} : { iterations: max_iterations }),
  ...(max_tool_calls === undefined ? {} : { toolCallsPerIteration: max_tool_calls }),
});
