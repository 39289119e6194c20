/** The TypeScript type that a JSON Schema literal describes, so that a body's type and its check are one text. */
type Properties = { readonly [name: string]: unknown };

type ObjectOf<P extends Properties, R extends string> = {
  -readonly [Name in keyof P as Name extends R ? Name : never]: FromSchema<P[Name]>;
} & {
  -readonly [Name in keyof P as Name extends R ? never : Name]?: FromSchema<P[Name]>;
};

type Primitive = {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  null: null;
};

export type FromSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly oneOf: readonly (infer Branch)[] }
      ? FromSchema<Branch>
      : S extends { readonly type: 'array'; readonly items: infer Item }
        ? FromSchema<Item>[]
        : S extends { readonly type: 'object'; readonly properties: infer P extends Properties }
          ? ObjectOf<P, S extends { readonly required: readonly (infer R extends string)[] } ? R : never>
          : S extends { readonly type: infer T extends keyof Primitive }
            ? Primitive[T]
            : unknown;
