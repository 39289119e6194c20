import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha256 } from './hmac.ts';

test('is the one that the server makes, whatever the lengths', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 150 }), fc.uint8Array({ maxLength: 300 }), (secret, text) => {
      const made = hmacSha256(new Uint8Array(secret), new Uint8Array(text));
      expect(Buffer.from(made).toString('hex')).toBe(createHmac('sha256', secret).update(text).digest('hex'));
    }),
  );
});
