import { expect, it } from 'vitest';
import type { ModelRequest } from '../core/model-port.ts';
import { createBodyWriter } from './request-body.ts';

it('writes a body where there are no settings', () => {
  const write = createBodyWriter<undefined>({ toWire: ({ role }) => ({ role }), toFields: ({ model }) => ({ model }) });
  const request = { model: 'm', messages: [{ role: 'user', content: 'x' }], tools: [] } as unknown as ModelRequest;
  const body = Buffer.from(write(request, undefined)).toString();
  expect(JSON.parse(body)).toEqual({ model: 'm', messages: [{ role: 'user' }] });
  expect(Buffer.from(write(request, undefined)).toString()).toBe(body);
});
