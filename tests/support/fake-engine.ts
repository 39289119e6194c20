/** An engine without a model: it writes what the test says, a piece at a time, and records what it was asked. */
import {
  ContextOverflowError,
  type Engine,
  type Generated,
  type GenerateOptions,
  type LoadEngine,
} from '../../src/providers/embedded/engine.ts';
import { parseGbnf, sampleGbnf } from './gbnf-sampler.ts';

export type FakeEngine = Engine & { asked: GenerateOptions[]; closed: boolean };

export type FakeEngineOptions = {
  chatTemplate?: string;
  sizeBytes?: number;
  contextLength?: number;
  /** The text of each free generation in turn; a generation with a grammar draws from the grammar. */
  texts?: string[];
  /** Says when the prompt is read. */
  tellsProgress?: true;
  /** Called before each piece of text. */
  beforePiece?(): Promise<void>;
};

const SPECIAL = ['<|im_start|>', '<|im_end|>', '<tool_call>'];

export const createFakeEngine = (options: FakeEngineOptions = {}): FakeEngine => {
  const texts = [...(options.texts ?? ['Hello there.'])];
  const asked: GenerateOptions[] = [];
  const contextLength = options.contextLength ?? 4096;
  let cached: readonly number[] = [];
  let state = 7;
  const draw = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const generate = async (request: GenerateOptions): Promise<Generated> => {
    asked.push(request);
    if (request.prompt.length > contextLength) throw new ContextOverflowError('too long');
    const different = request.prompt.findIndex((token, index) => token !== cached[index]);
    const cachedTokens = different < 0 ? request.prompt.length : different;
    cached = request.prompt;
    if (options.tellsProgress) request.onPrefill?.(request.prompt.length, request.prompt.length, cachedTokens);
    const whole = request.grammar === undefined ? (texts.shift() ?? '') : sampleGbnf(parseGbnf(request.grammar), draw);
    let text = '';
    for (const piece of whole.match(/.{1,4}/gsu) ?? []) {
      await options.beforePiece?.();
      if (request.signal.aborted) break;
      text += piece;
      request.onText?.(piece);
    }
    return {
      text,
      promptTokens: request.prompt.length,
      cachedTokens,
      completionTokens: text.length,
      finish: request.signal.aborted ? 'cancelled' : 'stop',
    };
  };
  const engine: FakeEngine = {
    asked,
    closed: false,
    contextLength,
    trainedContextLength: contextLength,
    sizeBytes: options.sizeBytes ?? 1000,
    bosText: '<s>',
    eosText: '</s>',
    ...(options.chatTemplate === undefined ? {} : { chatTemplate: options.chatTemplate }),
    // A token a character; a special text is one token where it may be one.
    tokenize: (text, special) => {
      const tokens: number[] = [];
      for (let at = 0; at < text.length; ) {
        const marker = special ? SPECIAL.findIndex((candidate) => text.startsWith(candidate, at)) : -1;
        tokens.push(marker >= 0 ? 1_000_000 + marker : (text.codePointAt(at) ?? 0));
        at += marker >= 0 ? (SPECIAL[marker]?.length ?? 1) : 1;
      }
      return tokens;
    },
    specialTexts: () => SPECIAL,
    generate,
    score: async ({ continuation }) => continuation.map(() => -1),
    close: async () => {
      engine.closed = true;
    },
  };
  return engine;
};

export const loadFake =
  (engine: Engine): LoadEngine =>
  async () => ({ ok: true, engine });

/** The prompt as text, markers in their own spelling. */
export const promptText = (request: GenerateOptions | undefined): string =>
  (request?.prompt ?? [])
    .map((token) => (token >= 1_000_000 ? SPECIAL[token - 1_000_000] : String.fromCodePoint(token)))
    .join('');
