/** Without the provider. */
export const bareModel = (id: string): string => id.split('/').at(-1) ?? id;

/** A session names its model with or without the provider. */
export const sameModel = (one: string, other: string): boolean => one === other || bareModel(one) === bareModel(other);

/** What stands in the place of a name, wherever the page says how the model stands. */
export const NAMELESS = {
  none: 'Looking for a model',
  loading: 'Loading a model',
  ready: 'A model is ready',
  failed: 'No model',
} as const;
