/** The TypeScript type of what a schema describes, read from the schema as it is written in the code. */

/** JSON as it may be written down: `as const` and literals included. */
export type JsonInput =
  | string
  | number
  | boolean
  | null
  | readonly JsonInput[]
  | { readonly [key: string]: JsonInput | undefined };
export type JsonSchemaInput = { readonly [key: string]: JsonInput | undefined };

type Plain = { string: string; integer: number; number: number; boolean: boolean; null: null };
type Flat<T> = { [K in keyof T]: T[K] };
type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;
/** The runner fills defaults in before a tool runs, so that there they are never absent. */
type WithDefault<P> = { [K in keyof P]: P[K] extends { readonly default: JsonInput } ? K : never }[keyof P];

type ObjectOf<P, Present> = Flat<
  { -readonly [K in keyof P as K extends Present ? K : never]: FromJsonSchema<P[K]> } & {
    -readonly [K in keyof P as K extends Present ? never : K]?: FromJsonSchema<P[K]>;
  }
>;

type FromType<T, S> = T extends keyof Plain
  ? Plain[T]
  : T extends 'array'
    ? S extends { readonly items: infer I }
      ? FromJsonSchema<I>[]
      : unknown[]
    : T extends 'object'
      ? S extends { readonly properties: infer P }
        ? ObjectOf<P, RequiredOf<S> | WithDefault<P>>
        : Record<string, unknown>
      : unknown;

/** The value as a tool gets it. What the schema says in other ways than these is `unknown`. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] } | { readonly oneOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly type: readonly (infer T)[] }
        ? FromType<T, S>
        : S extends { readonly type: infer T }
          ? FromType<T, S>
          : unknown;

/** The arguments as a caller writes them: what has a default may be left out. */
export type ArgumentsInput<S> = S extends { readonly properties: infer P }
  ? ObjectOf<P, RequiredOf<S>>
  : Record<string, unknown>;
