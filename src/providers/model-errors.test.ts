/** What a person reads when a server answers with something else than an error of its API. */
import { describe, expect, it } from 'vitest';
import { errorFromServer } from './model-errors.ts';

const words = { endpoint: 'http://test', startHint: '' };
const said = (status: number, body: string) => errorFromServer(status, body, 'm', words);

describe('a page in the place of an answer', () => {
  it.each([
    [
      'of nginx',
      502,
      '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502</h1></center></body></html>',
    ],
    ['with a doctype', 404, '\n<!DOCTYPE html><html lang="en"><body>Not found</body></html>'],
    ['with a BOM', 500, '\uFEFF<html><body>oops</body></html>'],
    ['in a frame', 403, '<head><title>Denied</title></head>'],
    ['that is cut', 503, '<h1>Service Unavail'],
  ])('%s is not printed', (_what, status, body) => {
    const { message } = said(status, body);
    expect(message).not.toMatch(/[<>]/);
    expect(message).toContain('HTML page');
  });

  it('still tells what kind of error it is', () => {
    expect(said(500, '<html><script>model not found</script>oops</html>').code).toBe('server_error');
  });

  it('is no sentence that begins with a sign', () => {
    expect(said(400, '<|im_start|> is not allowed here').message).toContain('<|im_start|> is not allowed here');
    expect(said(400, '<5 tokens').message).toContain('<5 tokens');
  });
});

it('says what to do where a server takes fewer requests', () => {
  const error = said(429, '{"error":{"message":"Rate limit reached"}}');
  expect(error).toMatchObject({ code: 'rate_limited', hint: expect.stringMatching(/again later/) });
});
