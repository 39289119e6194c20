/**
 * A route, once: its words in the OpenAPI document, the schema that checks its body and the code that answers. The app,
 * the document and the reference page are made from the same list.
 */
import type { Schema } from '../schema/index.ts';
import type { FromJsonSchema } from '../schema/infer.ts';
import { respond } from './respond.ts';
import type { ServerContext } from './server-context.ts';

/** Whose clients read an error: those of an API, or of halter itself and of Ollama where nobody knows which. */
export type ErrorShape = 'halter' | 'openai' | 'anthropic' | 'ollama' | 'shared';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type RouteRequest<Body> = {
  request: Request;
  /** Of the path, decoded. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: Body;
  server: ServerContext;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
};

/** A schema as it may be written: constants are read-only. */
export type SchemaLiteral = Readonly<Record<string, unknown>>;
export type ResponseSpec = { description: string; schema?: SchemaLiteral; contentType?: string };

export type Route = {
  method: Method;
  /** With `:name` for the parts that vary. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  /** True where no token is needed. */
  open?: boolean;
  query?: Readonly<Record<string, { description: string; schema: Schema }>>;
  body?: Schema;
  /** Bytes of the body, where more than usual are to be expected. */
  maxBodyBytes?: number;
  /** The body is a file as it is, which the route reads itself. */
  file?: { description: string };
  /** The caller may leave the body out. */
  bodyOptional?: boolean;
  responses: Readonly<Record<number, ResponseSpec>>;
  /** Errors are written in the shape of another API; in halter's own where absent. */
  errors?: ErrorShape;
  /** How the path is matched, where `:name` alone does not say it. */
  pattern?: string;
  /** Another route of the same path and method that this body is meant for. Its `errors` count from then on. */
  instead?(body: unknown): Route | undefined;
  handle(request: RouteRequest<unknown>): Promise<Response> | Response;
};

type Definition<S> = Omit<Route, 'body' | 'handle'> & {
  body?: S;
  handle(request: RouteRequest<S extends undefined ? undefined : FromJsonSchema<S>>): Promise<Response> | Response;
};

/**
 * The body's type in `handle` is the one its schema describes. A field that it does not name is refused; where the words are
 * another API's, its clients send more, which is dropped and reported.
 */
export const defineRoute = <const S = undefined>(definition: Definition<S>): Route => {
  const route = definition as unknown as Route;
  return route.body === undefined || route.errors !== undefined ? route : { ...route, body: closed(route.body) };
};

/** An object without `properties` holds whatever its owner says, such as the values of a form. */
const closed = (schema: Schema): Schema => {
  const { properties, items, oneOf } = schema;
  const parts = Object.entries((properties ?? {}) as Record<string, Schema>).map(([name, part]) => [
    name,
    closed(part),
  ]);
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(parts), additionalProperties: schema['additionalProperties'] ?? false }),
    ...(items === undefined ? {} : { items: closed(items as Schema) }),
    ...(Array.isArray(oneOf) ? { oneOf: oneOf.map((part) => closed(part as Schema)) } : {}),
  };
};

export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  respond(JSON.stringify(value), { 'content-type': 'application/json', ...headers }, status);
