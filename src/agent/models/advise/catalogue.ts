/** The models that `halter models advise` knows by name: a data file, every row with its sources. */
import type { ModelShape } from '../../../core/model-shape.ts';
import { detectDialect } from '../../../dialects/index.ts';
import file from './model-catalogue.json' with { type: 'json' };

export type CatalogueScore = {
  benchmark: string;
  /** Per cent. */
  overall: number;
  /** By the server's own tools, as text in the prompt, or as its maker reports without saying how. */
  asked: 'tools' | 'prompt' | 'reported';
  single_turn?: number;
  live?: number;
  multi_turn?: number;
  irrelevance?: number;
};

export type CatalogueModel = {
  id: string;
  title: string;
  /** Year and month; absent where no source says. */
  released?: string;
  license: string;
  parameters: number;
  /** Of a mixture of experts, those that one token goes through. */
  active_parameters?: number;
  /** Tokens. */
  window: number;
  /** Words of its vocabulary; absent where no source says. */
  vocabulary?: number;
  /** What keeps a cache; absent where no source says, and memory is a lower bound then. */
  attention?: {
    layers: number;
    key_value_heads: number;
    head_size: number;
    sliding_layers?: number;
    sliding_tokens?: number;
  };
  /** Bytes by quantisation. */
  sizes: Readonly<Record<string, number>>;
  /** Where its GGUF files are, on the Hugging Face hub. */
  hub: string;
  /** Its template takes tools. */
  tools: boolean;
  score?: CatalogueScore;
  /** Keys of `sources`. */
  sources: readonly string[];
};

export type CatalogueSource = { title: string; url: string; date?: string };
export type Catalogue = {
  version: number;
  date: string;
  sources: Readonly<Record<string, CatalogueSource>>;
  models: readonly CatalogueModel[];
};

// The rows differ in their fields, so the compiler's own type of the file says less; a test holds each row to this one.
export const MODEL_CATALOGUE = file as unknown as Catalogue;

/** How its calls are written, by its name. */
export const templateFamily = ({ id, tools }: CatalogueModel): string | undefined =>
  tools ? detectDialect({ model: id }) : undefined;

/** As `workOf` counts single formats: a Q4_K_M is Q4_K for the most part, and Q6_K. */
const WORK: Readonly<Record<string, number>> = { Q4_0: 0.27, Q4_1: 1, Q8_0: 0.36, Q4_K_M: 0.37, Q4_K_XL: 0.37 };
const USUAL_WORK = 0.5;
const CACHE_BYTES = 2;

export const catalogueShape = (model: CatalogueModel, quantisation: string): ModelShape | undefined => {
  const size = model.sizes[quantisation];
  if (size === undefined) return undefined;
  const { attention } = model;
  const share = (model.active_parameters ?? model.parameters) / model.parameters;
  const row = attention === undefined ? 0 : attention.key_value_heads * attention.head_size * 2 * CACHE_BYTES;
  return {
    weightBytes: size,
    activeBytes: size * share,
    parameters: model.parameters,
    readingWork: (model.active_parameters ?? model.parameters) * (WORK[quantisation] ?? USUAL_WORK),
    trainedWindow: model.window,
    ...(model.vocabulary === undefined ? {} : { vocabulary: model.vocabulary }),
    ...(attention === undefined
      ? {}
      : {
          cache: {
            bytesPerToken: attention.layers * row,
            ...(attention.sliding_layers === undefined
              ? {}
              : { slidingBytesPerToken: attention.sliding_layers * row, slidingTokens: attention.sliding_tokens }),
          },
        }),
  };
};
