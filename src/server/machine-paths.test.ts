/** What a server says of what is not there is for people elsewhere: it names no place on its own machine. */
import { expect, it } from 'vitest';
import { testServer } from '../../tests/support/test-server.ts';
import { ROUTES } from './routes/index.ts';

const NAMED = ROUTES.filter(({ path }) => path.includes(':'));

it.each(NAMED.map(({ method, path }) => [method, path] as const))('%s %s', async (method, path) => {
  const server = await testServer({ text: '' });
  for (const name of ['nope', 'a.b', '..%2fnope']) {
    const target = path.replaceAll(/:\w+(?:\{[^}]*\})?/g, name);
    const bodies =
      method === 'GET' || method === 'DELETE'
        ? [undefined]
        : [{}, { id: 'x', text: 'x', content: 'x', type: 'cancel', name: 'nope', path: 'nope' }];
    for (const body of bodies) {
      const answer = await (await server.call(method, target, body)).text();
      expect(answer).not.toContain(server.home);
      expect(answer).not.toContain(server.folder);
    }
  }
});
