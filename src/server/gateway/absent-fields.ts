/** `null` is the same as absent on every wire: clients write it for what they do not say. */
import type { Schema } from '../../schema/index.ts';

const orNull = (schema: Schema): Schema => {
  const { type, enum: values } = schema as { type?: unknown; enum?: readonly unknown[] };
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
    ...(values === undefined ? {} : { enum: [...new Set([...values, null])] }),
  } as Schema;
};

/** The same schema, in which whatever may be absent may be null. */
export const withNull = (schema: Schema): Schema => {
  const { properties, items, required } = schema as {
    properties?: Readonly<Record<string, Schema>>;
    items?: Schema;
    required?: readonly string[];
  };
  const parts = Object.entries(properties ?? {}).map(([name, part]) => {
    const inner = withNull(part);
    return [name, required?.includes(name) ? inner : orNull(inner)];
  });
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(parts) }),
    ...(items === undefined ? {} : { items: withNull(items) }),
  };
};
