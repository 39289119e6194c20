/** Without the provider. */
export const bareModel = (id: string): string => id.split('/').at(-1) ?? id;

/** A session names its model with or without the provider. */
export const sameModel = (one: string, other: string): boolean => one === other || bareModel(one) === bareModel(other);
