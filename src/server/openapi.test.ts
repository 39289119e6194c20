import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../tests/source-files.ts';
import { testServer } from '../../tests/support/test-server.ts';
import { checkDescribed } from '../../tests/support/undescribed.ts';
import { openApiDocument, openApiPath } from './openapi.ts';
import { HTTP_REFERENCE_FILE, httpReference } from './reference.ts';
import { json } from './route.ts';
import { ROUTES } from './routes/index.ts';

type Content = Record<string, { schema?: object }>;
type Operation = {
  operationId: string;
  summary: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; content?: Content; $ref?: string }>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, object>; securitySchemes: Record<string, object> };
  security: Record<string, unknown[]>[];
};

const document = openApiDocument(ROUTES, '1.2.3') as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('is what the server serves, and has each of its routes', async () => {
    const { json: ask, app } = await testServer({ text: 'x' });
    const served = await ask<Document>('GET', '/api/openapi.json');
    expect(served.openapi).toBe('3.1.0');
    expect(served.paths).toEqual(document.paths);
    const routed = app.routes.filter(({ method }) => method !== 'ALL');
    const plain = (path: string): string => path.replaceAll(/\{\.\+\}/g, '');
    expect(new Set(routed.map(({ method, path }) => `${method.toLowerCase()} ${openApiPath(plain(path))}`))).toEqual(
      new Set(operations.map(({ method, path }) => `${method} ${path}`)),
    );
  });

  it('is well-formed: ids once, parameters for each part of a path, schemas that are schemas', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    // `discriminator` is OpenAPI's own word.
    const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, keywords: ['discriminator'] });
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(named);
      expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
      const contents = [
        operation.requestBody?.content,
        ...Object.values(operation.responses).map(({ content }) => content),
      ];
      for (const content of contents) {
        for (const { schema } of Object.values(content ?? {})) if (schema) ajv.compile(schema);
      }
    }
    expect(Object.keys(document.components.responses)).toContain('Error');
    expect(document.security.flatMap(Object.keys)).toEqual(Object.keys(document.components.securitySchemes));
  });

  it('has every route of the contract', () => {
    const paths = Object.keys(document.paths);
    for (const path of [
      '/api/tools',
      '/api/tools/execute',
      '/api/chat',
      '/api/chat/{request_id}/cancel',
      '/api/chat/{request_id}/permission',
      '/api/sessions',
      '/api/sessions/{id}/events',
      '/api/sessions/{id}/commands',
      '/v1/chat/completions',
      '/v1/models',
      '/v1/embeddings',
      '/healthz',
      '/readyz',
      '/metrics',
    ]) {
      expect(paths).toContain(path);
    }
  });

  it('is the reference page', () => {
    const isCurrent = readFileSync(join(ROOT, HTTP_REFERENCE_FILE), 'utf8') === httpReference();
    expect(isCurrent, `${HTTP_REFERENCE_FILE} is not what the routes say. Run \`npm run reference\`.`).toBe(true);
  });

  it('names every field of an answer; the servers of the tests say which one it does not', async () => {
    const answer = json({ sessions: [{ id: 'a', title: '', colour: 'red' }], more: true });
    await expect(checkDescribed('GET', '/api/sessions?q=x', answer)).rejects.toThrow(
      /`sessions\[\]\.colour`, `more`, which its schema does not name\. .*npm run reference/,
    );
    await checkDescribed('GET', '/api/sessions', json({ sessions: [] }));
  });
});
