/** The OpenAPI document, from the routes and the very schemas that check their bodies. */
import type { Schema } from '../schema/index.ts';
import type { Route } from './route.ts';
import { ERROR } from './schemas.ts';

const ERROR_RESPONSE = { $ref: '#/components/responses/Error' };

export const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

export const openApiDocument = (routes: readonly Route[], version: string): Schema => {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const path = openApiPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'halter',
      version,
      description:
        'The HTTP interface of `halter serve`. Errors are `{error: {code, message}}`; on paths of other APIs they have their shape.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that was printed at the start. The web app shows a key of its own.',
        },
      },
      responses: { Error: { description: 'What went wrong.', content: { 'application/json': { schema: ERROR } } } },
    },
  };
};

const operation = (route: Route): Schema => {
  const parameters = [
    ...[...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(route.query ?? {}).map(([name, { description, schema }]) => ({
      name,
      in: 'query',
      required: false,
      description,
      schema,
    })),
  ];
  const responses = Object.entries(route.responses).map(([status, { description, schema, contentType }]) => [
    status,
    schema === undefined && contentType === undefined
      ? status.startsWith('2')
        ? { description }
        : { description, content: { 'application/json': { schema: ERROR } } }
      : { description, content: { [contentType ?? 'application/json']: { schema: schema ?? { type: 'string' } } } },
  ]);
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [route.tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: route.bodyOptional !== true,
            content: { 'application/json': { schema: route.body } },
          },
        }
      : {}),
    ...(route.file
      ? {
          requestBody: {
            required: true,
            description: route.file.description,
            content: { 'application/octet-stream': {} },
          },
        }
      : {}),
    responses: { ...Object.fromEntries(responses), default: ERROR_RESPONSE },
    ...(route.open ? { security: [] } : {}),
  };
};

const operationId = ({ method, path }: Route): string =>
  [method.toLowerCase(), ...path.split(/[/.]/).filter((part) => part !== '')]
    .map((part) => part.replace(/^:/, 'by_').replaceAll(/\W/g, '_'))
    .join('_');
